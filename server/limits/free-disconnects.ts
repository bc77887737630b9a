import { AppError } from '../kernel/app-error.js';
import type { AttemptCounter, OpenAttemptCounter } from '../kernel/attempt-counter.js';
import type { Stopwatch } from '../kernel/clock.js';

const minuteMs = 60_000;
/** Of an account's requests in a minute, so many may be left before a provider has them. */
const share = 1 / 4;
const leavesMin = 3;

/**
 * Bounds how often an account leaves a call before its provider has the prompt, which costs it nothing but us a hold and its
 * release. Who has done so with a quarter of its requests in any 60 seconds is turned away for a minute. An instance learns of
 * those that others have counted when it counts one itself: so each further instance grants one more, and two minutes that
 * meet may together hold twice as many. It keeps no more of an account than that many times.
 */
export class FreeDisconnects {
  readonly #leavesMax: number;
  /** Account -> when its last ones were. */
  readonly #leaves = new Map<string, number[]>();
  /** Account -> until when it is turned away. */
  readonly #turnedAwayUntilMs = new Map<string, number>();
  #sweepAtMs = 0;
  readonly #byAll: AttemptCounter;

  constructor(
    requestsPerMinute: number,
    private readonly clock: Stopwatch,
    openCounter: OpenAttemptCounter,
  ) {
    this.#leavesMax = Math.max(leavesMin, Math.floor(requestsPerMinute * share));
    this.#byAll = openCounter({ kind: 'left call', max: this.#leavesMax, windowMs: minuteMs });
  }

  /** Notes one call that was left for free, here at once and for all instances. */
  async note(accountId: string): Promise<void> {
    this.#noteHere(accountId);
    const { count } = await this.#byAll.count(accountId);
    if (count >= this.#leavesMax) this.#turnAway(accountId);
  }

  #noteHere(accountId: string): void {
    const nowMs = this.clock.elapsedMs();
    const recent = (this.#leaves.get(accountId) ?? []).filter((atMs) => atMs > nowMs - minuteMs);
    recent.push(nowMs);
    this.#leaves.set(accountId, recent);
    if (recent.length >= this.#leavesMax) {
      this.#leaves.delete(accountId);
      this.#turnAway(accountId);
    }
    this.#sweep(nowMs);
  }

  /** @throws AppError `rate_limit_exceeded` for an account that has left too many. */
  assertFew(accountId: string): void {
    const untilMs = this.#turnedAwayUntilMs.get(accountId);
    if (untilMs === undefined) return;
    const waitMs = untilMs - this.clock.elapsedMs();
    if (waitMs <= 0) {
      this.#turnedAwayUntilMs.delete(accountId);
      return;
    }
    throw new AppError(
      'rate_limit_exceeded',
      `This account left ${this.#leavesMax} calls within a minute before they were sent to a provider. Such calls are free, and so are bounded. Wait for answers, or leave later; try again in ${Math.ceil(waitMs / 1_000)} s.`,
      { retryAfterMs: waitMs },
    );
  }

  #turnAway(accountId: string): void {
    this.#turnedAwayUntilMs.set(accountId, this.clock.elapsedMs() + minuteMs);
  }

  // Once a minute: who has not left for so long is forgotten.
  #sweep(nowMs: number): void {
    if (nowMs < this.#sweepAtMs) return;
    this.#sweepAtMs = nowMs + minuteMs;
    for (const [accountId, times] of this.#leaves) {
      if ((times.at(-1) ?? 0) <= nowMs - minuteMs) this.#leaves.delete(accountId);
    }
    for (const [accountId, untilMs] of this.#turnedAwayUntilMs) {
      if (untilMs <= nowMs) this.#turnedAwayUntilMs.delete(accountId);
    }
  }
}
