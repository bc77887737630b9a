import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/*
 * Loaded into each thread of a server before its own code: upon SIGUSR2 all of them collect their garbage, and what is left
 * in all is printed as a line of the log. Nothing happens without that signal.
 */

/** Until each thread has answered; one that is busy for longer is left out. */
const answersMs = 500;

interface Left {
  readonly heapUsed: number;
  readonly external: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const threads = new BroadcastChannel('bench_memory');
threads.unref();
let answers: Left[] = [];

threads.onmessage = (message) => {
  const { data } = message as { data: Left | 'collect' };
  if (data !== 'collect') answers.push(data);
  else if (!isMainThread) threads.postMessage(collect());
};
if (isMainThread) process.on('SIGUSR2', () => void report());

function collect(): Left {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return { heapUsed, external };
}

async function report(): Promise<void> {
  answers = [];
  threads.postMessage('collect');
  const own = collect();
  await sleep(answersMs);
  const left = [own, ...answers];
  const sum = (of: keyof Left) => left.reduce((total, each) => total + each[of], 0);
  const line = { event: 'bench_memory', threads: left.length, heapUsed: sum('heapUsed'), external: sum('external') };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
