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
    this.#aheadMs = wallMs() - this.#beganMs;
  }

  /** Milliseconds. */
  readMs(): number {
    const nowMs = this.monotonicMs();
    const movedMs = this.wallMs() - nowMs - this.#aheadMs;
    if (Math.abs(movedMs) > steadyMs) {
      this.#aheadMs += movedMs;
      this.#steppedMs += Math.max(0, movedMs);
    }
    return nowMs - this.#beganMs + this.#steppedMs;
  }
}
