/** Clocks that differ by less may be read at two moments, or be set right little by little. */
const steadyMs = 10;

/**
 * Time that has passed in the world since it was made, standstills of the process and sleep of the machine included. It never goes
 * back. A sleeping machine stops its monotonic clock, and only its wall clock tells of that; so each step forward of the wall
 * clock counts, also one that was somebody's mistake, and a step back counts for nothing. What is measured by it is at
 * most so old, but for 10 milliseconds.
 */
export class ElapsedTime {
  readonly #beganMs: number;
  /** How far the wall clock was before the monotonic one when that was last taken over. */
  #aheadMs: number;
  #steppedMs = 0;

  constructor(
    private readonly monotonicMs: () => number,
    private readonly wallMs: () => number,
  ) {
    this.#beganMs = monotonicMs();
    this.#aheadMs = wallMs() - monotonicMs();
  }

  /** Milliseconds. */
  readMs(): number {
    const beforeMs = this.monotonicMs();
    const wallMs = this.wallMs();
    const nowMs = this.monotonicMs();
    // A busy machine may let the process wait between two readings, which is no step: so a step is what both bounds agree on.
    const leastMovedMs = wallMs - nowMs - this.#aheadMs;
    const mostMovedMs = wallMs - beforeMs - this.#aheadMs;
    if (leastMovedMs > steadyMs) {
      this.#aheadMs += leastMovedMs;
      this.#steppedMs += leastMovedMs;
    } else if (mostMovedMs < -steadyMs) this.#aheadMs += mostMovedMs;
    return nowMs - this.#beganMs + this.#steppedMs;
  }
}
