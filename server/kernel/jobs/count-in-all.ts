import type { AttemptCounter } from '../attempt-counter.js';

/** One of several windows that an attempt has to find room in. */
export interface WindowOf {
  readonly counter: AttemptCounter;
  /** Of the counter's rule. */
  readonly max: number;
  readonly name: string;
}

/**
 * Counts an attempt in all of these windows, or in none: what one of them refuses is taken back from those before it.
 * @returns the milliseconds after which the attempt finds room in each of them; 0: it was counted.
 */
export async function countInAll(windows: readonly WindowOf[]): Promise<number> {
  for (const [index, { counter, name }] of windows.entries()) {
    const { waitMs } = await counter.count(name);
    if (waitMs === 0) continue;
    await Promise.all(windows.slice(0, index).map((before) => before.counter.forgive(before.name)));
    const others = windows.filter((_, other) => other !== index);
    return Math.max(waitMs, ...(await Promise.all(others.map(findWaitMs))));
  }
  return 0;
}

/** @returns the milliseconds until a further attempt finds room in this window; 0: it would now. */
export async function findWaitMs({ counter, max, name }: WindowOf): Promise<number> {
  // None is granted: it tells how many there are.
  const { count, endsInMs } = await counter.count(name, 0);
  return count >= max ? endsInMs : 0;
}
