import { networkOf } from '../kernel/addresses/network-address.js';
import { AppError } from '../kernel/app-error.js';
import type { AttemptCounter, OpenAttemptCounter } from '../kernel/attempt-counter.js';
import { countInAll } from '../kernel/jobs/count-in-all.js';

const minuteMs = 60_000;
const attemptsMax = 10;
const windowMs = 15 * minuteMs;
const attemptsPerDayMax = 50;
const dayMs = 24 * 60 * minuteMs;
const recoveryAttemptsMax = 30;

/** Who enters a code: for which account, and from where. */
export interface CodeAttempt {
  readonly accountId: string;
  readonly address: string;
  /** A session of the account, or a device that its owner has used; null: neither. */
  readonly trustedAs: string | null;
}

/**
 * Slows down the guessing of codes by whoever knows the password: ten in a quarter of an hour and fifty a day for one account,
 * counted by all instances together. A session and a known device are counted each by itself, so strangers close neither; a
 * recovery code, which nobody can guess, is only counted by network, so it is the owner's way in on a new device meanwhile.
 */
export class CodeThrottle {
  readonly #inWindow: AttemptCounter;
  readonly #inDay: AttemptCounter;
  readonly #recovery: AttemptCounter;

  constructor(openCounter: OpenAttemptCounter) {
    this.#inWindow = openCounter({ kind: 'code', max: attemptsMax, windowMs });
    this.#inDay = openCounter({ kind: 'code day', max: attemptsPerDayMax, windowMs: dayMs });
    this.#recovery = openCounter({ kind: 'recovery code', max: recoveryAttemptsMax, windowMs });
  }

  /** Counts an attempt as failed from its start; `forgive` takes it back. @throws AppError `rate_limit_exceeded`. */
  async countCode(attempt: CodeAttempt): Promise<void> {
    const name = nameOf(attempt);
    const windows = [
      { counter: this.#inWindow, max: attemptsMax, name },
      { counter: this.#inDay, max: attemptsPerDayMax, name },
    ];
    refuseUnless(await countInAll(windows));
  }

  /** The code was right: this attempt does not count. */
  async forgiveCode(attempt: CodeAttempt): Promise<void> {
    await this.#inWindow.forgive(nameOf(attempt));
    await this.#inDay.forgive(nameOf(attempt));
  }

  /** @throws AppError `rate_limit_exceeded` after thirty recovery codes of a network in a quarter of an hour. */
  async countRecoveryCode({ address }: CodeAttempt): Promise<void> {
    refuseUnless((await this.#recovery.count(networkOf(address))).waitMs);
  }
}

function nameOf({ accountId, trustedAs }: CodeAttempt): string {
  return trustedAs ?? accountId;
}

function refuseUnless(waitMs: number): void {
  if (waitMs === 0) return;
  const words = `Too many codes. Try again in ${Math.ceil(waitMs / minuteMs)} minute(s), or use a recovery code.`;
  throw new AppError('rate_limit_exceeded', words, { retryAfterMs: waitMs });
}
