import { write } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { createLogger } from '../kernel/logger.js';
import type { LoopWatchData } from './loop-watch.js';

/*
 * The thread that watches the loop of its process (`watchLoop`). What it says it writes itself: all that the process writes is written by the loop.
 */

const wordsMsMax = 1_000;
const { beats, everyMs, level, format } = workerData as LoopWatchData;
let seen = Atomics.load(beats, 0);
let silentLooks = 0;

setInterval(() => {
  // First: whoever reads that it has started reads the beat of that moment as well.
  const looksMax = Atomics.load(beats, 1);
  const now = Atomics.load(beats, 0);
  silentLooks = now === seen ? silentLooks + 1 : 0;
  seen = now;
  if (silentLooks === looksMax) end(looksMax);
}, everyMs);

function end(looksMax: number): void {
  const kill = () => process.kill(process.pid, 'SIGKILL');
  // Where the disk or the terminal of the log is what stands, nobody is told.
  setTimeout(kill, wordsMsMax);
  const destination = { write: (line: string) => write(1, line, kill) };
  createLogger(level, { destination, format }).error('loop_stands', { forMs: looksMax * everyMs });
}
