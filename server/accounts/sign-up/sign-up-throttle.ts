import { networkOf } from '../../kernel/addresses/network-address.js';
import { AppError } from '../../kernel/app-error.js';
import type { AttemptCounter, OpenAttemptCounter } from '../../kernel/attempt-counter.js';

const hourMs = 3_600_000;
/** A day brings no more than this many good hours. */
const hoursPerDay = 4;

/**
 * Slows down the farming of accounts: so many sign-ups from one network in an hour, and four times as many in a day,
 * counted by all instances together.
 */
export class SignUpThrottle {
  readonly #byHour: AttemptCounter;
  readonly #byDay: AttemptCounter;

  constructor(openCounter: OpenAttemptCounter, signUpsPerHour: number) {
    this.#byHour = openCounter({ kind: 'sign-up hour', max: signUpsPerHour, windowMs: hourMs, isFinal: true });
    const perDay = signUpsPerHour * hoursPerDay;
    this.#byDay = openCounter({ kind: 'sign-up day', max: perDay, windowMs: 24 * hourMs, isFinal: true });
  }

  /** @throws AppError `rate_limit_exceeded` with the time to wait. */
  async countSignUp(address: string): Promise<void> {
    const network = networkOf(address);
    const waitMs = (await this.#byHour.count(network)).waitMs || (await this.#byDay.count(network)).waitMs;
    if (waitMs === 0) return;
    const words = `Too many sign-ups from your network. Try again in ${Math.ceil(waitMs / 60_000)} minute(s).`;
    throw new AppError('rate_limit_exceeded', words, { retryAfterMs: waitMs });
  }
}
