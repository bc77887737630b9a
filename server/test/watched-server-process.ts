import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createApp } from '../app.js';
import { loadConfig } from '../config/config.js';
import { createLogger } from '../kernel/logger.js';
import { tuneGarbageCollector } from '../kernel/tune-garbage-collector.js';
import type { ServerOrder, ServerReport } from './watched-server.js';

/*
 * The server as a process of its own, which tells its parent how long its event loop stood still and how much memory it took.
 * Told `watch`, it begins anew; told `report`, it answers; told `stop`, it ends.
 */

const resolutionMs = 2;

tuneGarbageCollector();
const app = await createApp(
  loadConfig(process.env, () => null),
  createLogger('fatal'),
  // No test asks a name server.
  { lookUpName: async () => ['203.0.113.80'] },
);
// On a machine that has much else to do a thread is stopped for longer than its own work takes; Linux tells them apart.
function readWorkedMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();
let rssMax = 0;
let workMs = 0;
let workedMs = readWorkedMs();
setInterval(() => {
  const nowMs = readWorkedMs();
  workMs = Math.max(workMs, nowMs - workedMs);
  workedMs = nowMs;
}, resolutionMs).unref();
setInterval(() => {
  rssMax = Math.max(rssMax, process.memoryUsage.rss());
}, 20).unref();

const tell = (report: ServerReport): void => void process.send?.(report);

process.on('message', (order: ServerOrder) => {
  if (order === 'watch') {
    delay.reset();
    workMs = 0;
    rssMax = process.memoryUsage.rss();
  }
  // A turn later, so that what holds the loop now is in it.
  if (order !== 'stop') setTimeout(() => tell({ holdMs: delay.max / 1e6 - resolutionMs, workMs, rssMax, port }), 20);
  else void app.close(1_000).then(() => process.exit(0));
});
process.on('disconnect', () => process.exit(1));
const port = await app.listen();
tell({ holdMs: 0, workMs: 0, rssMax, port });
