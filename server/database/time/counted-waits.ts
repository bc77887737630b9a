import type { Clock } from '../../kernel/clock.js';

/** By so much a clock may be set without being told from one that is set right little by little. */
export const steadyMs = 300_000;

const waitsMax = 20_000;

export interface CountedWait {
  /** Another one for each wait, the same for all who look at it. */
  readonly id: string;
  /** When it is over by the clock that wrote it. Milliseconds since 1970. */
  readonly dueAtMs: number;
  readonly lengthMs: number;
}

/**
 * Waits that never end early, wherever the wall clock is set, forward or back, before the process began or beneath it. One is over when this
 * process has counted its whole length since it first looked, or when its moment has surely come. So it may last as much longer as
 * nobody looked, and once more after a restart until a day of that has passed.
 */
export class CountedWaits {
  readonly #seenAtMs = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  /** @param believedMs A time that has surely come, as `ProvenTime` reads it. */
  isOver({ id, dueAtMs, lengthMs }: CountedWait, believedMs: number): boolean {
    if (dueAtMs + steadyMs <= believedMs) return true;
    const monotonicMs = this.clock.monotonicMs();
    const seenAtMs = this.#seenAtMs.get(id);
    if (seenAtMs !== undefined) return monotonicMs - seenAtMs >= lengthMs;
    this.#seenAtMs.set(id, monotonicMs);
    // The oldest begins anew when it is looked at again.
    const [oldest] = this.#seenAtMs.keys();
    if (this.#seenAtMs.size > waitsMax && oldest !== undefined) this.#seenAtMs.delete(oldest);
    return false;
  }
}
