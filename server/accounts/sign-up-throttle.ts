import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../kernel/app-error.js';
import { networkOf } from './network-of.js';

const hourSeconds = 3_600;
/** A day brings no more than this many good hours. */
const hoursPerDay = 4;

/**
 * Slows down the farming of accounts: so many sign-ups from one network in an hour, and four times as many in a day. In this
 * process's memory; each further instance grants the same again.
 */
export class SignUpThrottle {
  readonly #byHour: RateLimiterMemory;
  readonly #byDay: RateLimiterMemory;

  constructor(signUpsPerHour: number) {
    this.#byHour = new RateLimiterMemory({ points: signUpsPerHour, duration: hourSeconds });
    this.#byDay = new RateLimiterMemory({ points: signUpsPerHour * hoursPerDay, duration: 24 * hourSeconds });
  }

  /** @throws AppError `rate_limit_exceeded` with the time to wait. */
  async countSignUp(address: string): Promise<void> {
    const network = networkOf(address);
    try {
      await this.#byHour.consume(network);
      await this.#byDay.consume(network);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const minutes = Math.ceil(refusal.msBeforeNext / 60_000);
      throw new AppError(
        'rate_limit_exceeded',
        `Too many sign-ups from your network. Try again in ${minutes} minute(s).`,
        {
          retryAfterMs: refusal.msBeforeNext,
        },
      );
    }
  }
}
