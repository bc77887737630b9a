import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded into a server before its own code. Upon SIGUSR2 it prints, as a line of the log, what was seen of its event loop since
 * the last time, and begins anew. `work` is processor time of the thread, which other processes do not change; where the system
 * does not tell it, it is the time that went by.
 */

const resolutionMs = 2;
/** A neighbour's call, and none of those that are measured. */
const smallBytesMax = 64 * 1024;

function readWorkedMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

function watch(): void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const startedAt = new WeakMap<IncomingMessage, number>();
  let smallCallsMs: number[] = [];
  let stretchMs = 0;
  let residentBytes = 0;
  let workedMs = readWorkedMs();

  const look = (): void => {
    const nowMs = readWorkedMs();
    stretchMs = Math.max(stretchMs, nowMs - workedMs);
    workedMs = nowMs;
    residentBytes = Math.max(residentBytes, process.memoryUsage.rss());
  };
  setInterval(look, resolutionMs).unref();

  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage };
    if (Number(request.headers['content-length'] ?? 0) <= smallBytesMax) startedAt.set(request, readWorkedMs());
  });
  subscribe('http.server.response.finish', (message) => {
    const { request } = message as { request: IncomingMessage };
    const started = startedAt.get(request);
    if (started !== undefined) smallCallsMs.push(readWorkedMs() - started);
  });

  process.on('SIGUSR2', () => {
    look();
    const report = { holdMs: Math.max(0, delay.max / 1e6 - resolutionMs), stretchMs, smallCallsMs, residentBytes };
    process.stdout.write(`${JSON.stringify({ event: 'bench_loop', ...report })}\n`);
    delay.reset();
    smallCallsMs = [];
    stretchMs = 0;
    residentBytes = 0;
  });
}

if (isMainThread) watch();
