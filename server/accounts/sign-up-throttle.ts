import { AppError } from '../kernel/app-error.js';
import { AttemptCounter } from '../kernel/attempt-counter.js';
import { networkOf } from '../kernel/network-of.js';

const hourMs = 3_600_000;
/** A day brings no more than this many good hours. */
const hoursPerDay = 4;

/**
 * Slows down the farming of accounts: so many sign-ups from one network in an hour, and four times as many in a day. In this
 * process's memory, which is bounded; each further instance grants the same again.
 */
export class SignUpThrottle {
  readonly #byHour: AttemptCounter;
  readonly #byDay: AttemptCounter;

  constructor(signUpsPerHour: number) {
    this.#byHour = new AttemptCounter({ max: signUpsPerHour, windowMs: hourMs });
    this.#byDay = new AttemptCounter({ max: signUpsPerHour * hoursPerDay, windowMs: 24 * hourMs });
  }

  /** @throws AppError `rate_limit_exceeded` with the time to wait. */
  countSignUp(address: string): void {
    const network = networkOf(address);
    const waitMs = this.#byHour.count(network) || this.#byDay.count(network);
    if (waitMs === 0) return;
    const words = `Too many sign-ups from your network. Try again in ${Math.ceil(waitMs / 60_000)} minute(s).`;
    throw new AppError('rate_limit_exceeded', words, { retryAfterMs: waitMs });
  }
}
