import { url as inspectorUrl } from 'node:inspector';
import { tryStartThread } from '../kernel/jobs/start-thread.js';
import type { LogFormat, Logger, LogLevel } from '../kernel/logger.js';

/** What the thread is given. */
export interface LoopWatchData {
  /** A number that this process raises each time that its loop turns to it, and how many looks in a row may find it as it was. */
  readonly beats: Int32Array;
  readonly everyMs: number;
  /** How the process writes its log. */
  readonly level: LogLevel;
  readonly format: LogFormat;
}

const heapMebibytes = 16;
/** A minute: no loop that serves anybody stands so long. */
const looksMax = 6;
/** Five minutes, as for workers. */
const startingLooksMax = 30;

/**
 * For a process that no other one watches: from now on a thread looks every ten seconds whether its loop turns, and where it has not for six
 * looks in a row, or for thirty while it starts, says `loop_stands` and kills the process, for whoever watches over it to start it anew. Whoever
 * runs it would wait for ever otherwise. It goes by looks and not by the time, so that a machine that slept is not taken for a loop that
 * stands. Not where a debugger may stop the loop.
 * @returns what to call once it has started.
 */
export function watchLoop(
  log: Pick<LoopWatchData, 'level' | 'format'>,
  logger: Logger,
  { everyMs = 10_000, program = new URL('./loop-watch-thread.js', import.meta.url) } = {},
): () => void {
  if (inspectorUrl() !== undefined) return () => {};
  const beats = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const beat = () => void Atomics.add(beats, 0, 1);
  Atomics.store(beats, 1, startingLooksMax);
  const data: LoopWatchData = { beats, everyMs, ...log };
  const thread = tryStartThread(
    program,
    heapMebibytes,
    (error) => logger.warn('loop_not_watched', { message: (error as Error).message }),
    data,
  );
  if (thread !== null) setInterval(beat, everyMs).unref();
  return () => {
    beat();
    Atomics.store(beats, 1, looksMax);
  };
}
