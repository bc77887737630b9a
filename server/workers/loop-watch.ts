import { url as inspectorUrl } from 'node:inspector';
import { tryStartThread } from '../kernel/jobs/start-thread.js';
import type { LogFormat, Logger, LogLevel } from '../kernel/logger.js';

/** What the thread is given. */
export interface LoopWatchData {
  /** One number, which this process raises each time that its loop turns to it. */
  readonly beats: Int32Array;
  readonly everyMs: number;
  /** How the process writes its log. */
  readonly level: LogLevel;
  readonly format: LogFormat;
}

const heapMebibytes = 16;

/**
 * For a process that no other one watches: from now on a thread looks every ten seconds whether its loop turns, and where it has not for six
 * looks in a row, says `loop_stands` and kills the process, for whoever watches over it to start it anew. Whoever runs it would wait for ever
 * otherwise. It goes by looks and not by the time, so that a machine that slept is not taken for a loop that stands. Not where a debugger may
 * stop the loop.
 */
export function watchLoop(
  log: Pick<LoopWatchData, 'level' | 'format'>,
  logger: Logger,
  { everyMs = 10_000, program = new URL('./loop-watch-thread.js', import.meta.url) } = {},
): void {
  if (inspectorUrl() !== undefined) return;
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const data: LoopWatchData = { beats, everyMs, ...log };
  const thread = tryStartThread(
    program,
    heapMebibytes,
    (error) => logger.warn('loop_not_watched', { message: (error as Error).message }),
    data,
  );
  if (thread !== null) setInterval(() => Atomics.add(beats, 0, 1), everyMs).unref();
}
