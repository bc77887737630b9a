import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** How many suites run at once: more than processors, since many wait for a server, a page or a time most of theirs. */
export const testWorkerCount = Math.min(availableParallelism() + 1, 6);
/** How many of a pass that runs beside another. */
export const besideWorkerCount = Math.max(1, testWorkerCount - 1);
/** In a run with few journeys: four browsers at once on two processors are slower than their limits of time. */
export const usualWorkerCount = Math.min(2 * availableParallelism(), 6);

/** What the work below takes on an idle machine of the year 2026. */
const idleMs = 180;
const rounds = 3;
/** Other work comes and goes, so a run gets twice the time that its first second would ask for. */
const reserve = 2;
const factorMax = 6;

// Plain JavaScript, since what a processor has special circuits for tells little of the rest.
const work = `
  const rows = Array.from({ length: 200 }, (_, id) => ({ id, name: 'row ' + id, parts: [id, id + 1, id + 2] }));
  for (let round = 0; round < 2_000; round += 1) JSON.parse(JSON.stringify(rows));
`;

/**
 * Measures how slow this machine is now, its other work included: the time of a fixed piece of work, done by as many
 * threads at once as suites are run. Takes about a second on an idle machine.
 * @returns {Promise<number>} by how much waiting limits are to be stretched, from 1 to 6
 */
export async function measureWaitFactor() {
  const timesMs = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: testWorkerCount }, doWork));
    timesMs.push(performance.now() - startedMs);
  }
  return Math.min(factorMax, Math.max(1, Math.ceil((10 * reserve * Math.max(...timesMs)) / idleMs) / 10));
}

async function doWork() {
  const worker = new Worker(work, { eval: true });
  await once(worker, 'exit');
}
