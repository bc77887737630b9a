import { setTimeout as sleep } from 'node:timers/promises';
import type { TollgateContestant } from './contestants.js';
import { readMemoryKb } from './process-figures.js';

const reportTimeoutMs = 15_000;

export interface ServerMemory {
  /** Of the whole process, with whatever garbage there was before the collection. */
  readonly residentKb: number;
  /** Objects of all threads that are left after a collection of garbage. */
  readonly heapKb: number;
  /** Buffers outside of their heaps. */
  readonly bufferKb: number;
}

/** Has a server that was started with `report-memory.js` collect its garbage and say what is left. */
export async function readServerMemory({ pid, log }: TollgateContestant): Promise<ServerMemory> {
  const residentKb = readMemoryKb(pid);
  const reportsSoFar = log.filter(({ event }) => event === 'bench_memory').length;
  process.kill(pid, 'SIGUSR2');
  const deadlineMs = performance.now() + reportTimeoutMs;
  for (;;) {
    const report = log.filter(({ event }) => event === 'bench_memory')[reportsSoFar];
    if (report)
      return { residentKb, heapKb: Number(report.heapUsed) / 1_024, bufferKb: Number(report.external) / 1_024 };
    if (performance.now() > deadlineMs) throw new Error('The server did not report its memory.');
    await sleep(20);
  }
}
