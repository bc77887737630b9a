import { mock } from 'node:test';

/** Lets a process that works have so many milliseconds by the mocked `setTimeout`, and what is then due of an `AwakeTimer` come to its end. */
export async function tickAwake(ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 1) mock.timers.tick(1);
  await new Promise<void>((resolve) => setImmediate(resolve));
}

/** Holds this thread, as when the process is suspended: nothing runs meanwhile, and what comes waits. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
