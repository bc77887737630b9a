import { AppError } from '../kernel/app-error.js';
import type { AttemptCounter, OpenAttemptCounter } from '../kernel/attempt-counter.js';
import type { Stopwatch } from '../kernel/clock.js';

const minuteMs = 60_000;
/** Of an account's requests in a minute, so many may be free by what it did or asked. */
const share = 1 / 4;
const freeCallsMin = 3;
/** A prompt that may cost us more than this counts for several calls. */
const promptTokensOfCall = 10_000;

/**
 * Bounds how often an account has calls that cost it nothing but us something: left before their provider has the prompt, which
 * costs a hold and its release, or answered without any output, of which the provider may bill the prompt. Who has had so a quarter
 * of its requests in any 60 seconds is turned away for a minute. A long prompt that a provider has counts once for each 10,000 tokens,
 * and no more than a third of what is granted, so that chance turns nobody away. An instance learns of
 * those that others have counted when it counts one itself: so each further instance grants one more, and two minutes that
 * meet may together hold twice as many. It keeps no more of an account than that many times.
 */
export class FreeCalls {
  readonly #freeCallsMax: number;
  /** Account -> when its last free calls were. */
  readonly #times = new Map<string, number[]>();
  /** Account -> until when it is turned away. */
  readonly #turnedAwayUntilMs = new Map<string, number>();
  #sweepAtMs = 0;
  readonly #byAll: AttemptCounter;

  constructor(
    requestsPerMinute: number,
    private readonly clock: Stopwatch,
    openCounter: OpenAttemptCounter,
  ) {
    this.#freeCallsMax = Math.max(freeCallsMin, Math.floor(requestsPerMinute * share));
    this.#byAll = openCounter({ kind: 'free call', max: this.#freeCallsMax, windowMs: minuteMs });
  }

  /**
   * Notes one call that is free for having been left or for having no output, here at once and for all instances.
   * @param promptTokens What its provider has of the prompt, at the least; 0: nothing.
   */
  async note(accountId: string, promptTokens: number): Promise<void> {
    const times = this.#findTimes(promptTokens);
    this.#noteHere(accountId, times);
    for (let time = 0; time < times; time += 1) {
      const { count } = await this.#byAll.count(accountId);
      if (count >= this.#freeCallsMax) this.#turnAway(accountId);
    }
  }

  #findTimes(promptTokens: number): number {
    const timesMax = Math.floor(this.#freeCallsMax / freeCallsMin);
    return Math.max(1, Math.min(timesMax, Math.ceil(promptTokens / promptTokensOfCall)));
  }

  #noteHere(accountId: string, times: number): void {
    const nowMs = this.clock.elapsedMs();
    const recent = (this.#times.get(accountId) ?? []).filter((atMs) => atMs > nowMs - minuteMs);
    for (let time = 0; time < times; time += 1) recent.push(nowMs);
    this.#times.set(accountId, recent);
    if (recent.length >= this.#freeCallsMax) {
      this.#times.delete(accountId);
      this.#turnAway(accountId);
    }
    this.#sweep(nowMs);
  }

  /** @throws AppError `rate_limit_exceeded` for an account that has had too many. */
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
      `${this.#freeCallsMax} calls of this account within a minute were left before they were sent to a provider, or answered without any output, as by a content filter; one with a long prompt counts as several. Such calls are free, and so are bounded. Wait for answers, or ask something else; try again in ${Math.ceil(waitMs / 1_000)} s.`,
      { retryAfterMs: waitMs },
    );
  }

  #turnAway(accountId: string): void {
    this.#turnedAwayUntilMs.set(accountId, this.clock.elapsedMs() + minuteMs);
  }

  // Once a minute: who has had none for so long is forgotten.
  #sweep(nowMs: number): void {
    if (nowMs < this.#sweepAtMs) return;
    this.#sweepAtMs = nowMs + minuteMs;
    for (const [accountId, times] of this.#times) {
      if ((times.at(-1) ?? 0) <= nowMs - minuteMs) this.#times.delete(accountId);
    }
    for (const [accountId, untilMs] of this.#turnedAwayUntilMs) {
      if (untilMs <= nowMs) this.#turnedAwayUntilMs.delete(accountId);
    }
  }
}
