import { Worker } from 'node:worker_threads';

/**
 * Starts a thread that does not keep the process alive.
 * @param noteError Is told of what goes wrong in it, or with its start.
 * @param workerData What it is given.
 * @returns null: the system gives none, as where a container has as many as it may (`pids.max`); it may later.
 */
export function tryStartThread(
  program: URL,
  maxOldGenerationSizeMb: number,
  noteError: (error: unknown) => void,
  workerData?: unknown,
): Worker | null {
  try {
    const worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb }, workerData });
    worker.unref();
    worker.on('error', noteError);
    return worker;
  } catch (error) {
    noteError(error);
    return null;
  }
}
