import { setTimeout as sleep } from 'node:timers/promises';
import { idempotencyErrors } from './idempotency-errors.js';
import type { ClaimIdentity, HandedAnswer, RunningCall, RunningClaims } from './running-claims.js';

/** How long who asks again waits for the first attempt. */
export interface JoinTimeouts {
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  /** While the first attempt runs in this process, whose end is heard at once. */
  readonly hereMs: number;
  /** While it runs elsewhere, which is asked for again and again. */
  readonly elsewhereMs: number;
  /** Since when, by `performance.now()`; left out: from now on. */
  readonly startedMs?: number;
  /**
   * Is given what is to be called once an answer that was handed over is read to its end: until then whoever reads it is one of
   * those who wait, since the call's memory is held for them. Left out: nobody does.
   */
  readonly untilRead?: (letGo: () => void) => void;
}

const firstPollMs = 100;
const pollMsMax = 2_000;

/**
 * Waits for the end of the call that has claimed a place, from its making on: what ends while the database is asked is heard too.
 * Until `end`, or until what was handed over is read, it is one of those who wait for a call of this process.
 */
export class WaitForEnd {
  readonly #startedMs: number;
  #pollMs = firstPollMs;
  #seenHere: RunningCall | null = null;
  #leave: () => void = () => {};
  #isHanded = false;

  /** @param seenHere The call, as it ran here a moment ago; it may have ended since. */
  constructor(
    private readonly running: RunningClaims,
    private readonly identity: ClaimIdentity,
    private readonly timeouts: JoinTimeouts,
    seenHere: RunningCall | null = null,
  ) {
    this.#startedMs = timeouts.startedMs ?? performance.now();
    this.#join(running.find(identity) ?? seenHere);
  }

  /** To be called when nothing is waited for any more. */
  end(): void {
    const { untilRead } = this.timeouts;
    if (this.#isHanded && untilRead) untilRead(this.#leave);
    else this.#leave();
  }

  /**
   * Waits until the end is heard where the call runs in this process, and a little longer each time where it runs elsewhere.
   * @returns what the call has handed over; null: look again.
   * @throws AppError `idempotency_key_in_use` when the time is up; what `signal` was aborted with.
   */
  async untilNextLook(): Promise<HandedAnswer | null> {
    const { hereMs, elsewhereMs } = this.timeouts;
    const here = this.running.find(this.identity);
    if (here !== null) {
      this.#join(here);
      return this.#waitFor(here.ended, this.#leftMs(hereMs));
    }
    const leftMs = this.#leftMs(elsewhereMs);
    const pollMs = this.#pollMs;
    this.#pollMs = Math.min(pollMs * 1.5, pollMsMax);
    return this.#waitFor(null, Math.min(pollMs, leftMs));
  }

  /**
   * What a call has handed over whose row says that it is finished: it may have ended here since this wait began, with more than
   * the row could keep. Null: it did not run here, or handed nothing over.
   * @throws as `untilNextLook`.
   */
  async handedBy(callId: string): Promise<HandedAnswer | null> {
    if (this.#seenHere?.callId !== callId) return null;
    return this.#waitFor(this.#seenHere.ended, this.#leftMs(this.timeouts.hereMs));
  }

  #join(call: RunningCall | null): void {
    if (call === null || call === this.#seenHere) return;
    this.#leave();
    this.#seenHere = call;
    this.#leave = call.waiters.enter();
  }

  #leftMs(timeoutMs: number): number {
    const leftMs = this.#startedMs + timeoutMs - performance.now();
    if (leftMs <= 0) throw idempotencyErrors.inUse();
    return leftMs;
  }

  async #waitFor(ended: Promise<HandedAnswer | null> | null, timeoutMs: number): Promise<HandedAnswer | null> {
    const { signal } = this.timeouts;
    const over = new AbortController();
    const timer = sleep(timeoutMs, null, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => null);
    const handed = await Promise.race([ended ?? timer, timer]);
    over.abort();
    this.#isHanded = handed !== null;
    signal.throwIfAborted();
    return handed;
  }
}
