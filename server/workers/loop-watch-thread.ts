import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { createLogger } from '../kernel/logger.js';
import type { LoopWatchData } from './loop-watch.js';

/*
 * The thread that watches the loop of its process (`watchLoop`). What it says it writes itself: all that the process writes is written by the loop.
 */

const looksMax = 6;
const { beats, everyMs, level, format } = workerData as LoopWatchData;
let seen = Atomics.load(beats, 0);
let silentLooks = 0;

setInterval(() => {
  const now = Atomics.load(beats, 0);
  silentLooks = now === seen ? silentLooks + 1 : 0;
  seen = now;
  if (silentLooks === looksMax) end();
}, everyMs);

function end(): void {
  try {
    const destination = { write: (line: string) => void writeSync(1, line) };
    createLogger(level, { destination, format }).error('loop_stands', { forMs: looksMax * everyMs });
  } catch {
    // Nobody reads it, or its disk is full.
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
