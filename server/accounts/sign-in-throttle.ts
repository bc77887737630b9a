import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../kernel/app-error.js';
import { networkOf } from './network-of.js';

const failuresMax = 10;
const windowSeconds = 15 * 60;

/** Who tries to sign in: the account that is aimed at, and the network address that aims. */
export interface SignInAttempt {
  readonly emailNormalised: string;
  readonly address: string;
}

/**
 * Slows down the guessing of passwords: ten failures in fifteen minutes, for one account and for one address. In this
 * process's memory; each further instance grants the same again.
 */
export class SignInThrottle {
  readonly #byAccount = new RateLimiterMemory({ points: failuresMax, duration: windowSeconds });
  readonly #byAddress = new RateLimiterMemory({ points: failuresMax, duration: windowSeconds });

  /**
   * Counts an attempt as failed from its start, so that attempts side by side cannot slip through; `forgive` takes it back.
   * @throws AppError `rate_limit_exceeded` with the time to wait.
   */
  async countAttempt({ emailNormalised, address }: SignInAttempt): Promise<void> {
    try {
      await this.#byAddress.consume(networkOf(address));
      await this.#byAccount.consume(emailNormalised);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const minutes = Math.ceil(refusal.msBeforeNext / 60_000);
      throw new AppError('rate_limit_exceeded', `Too many failed sign-ins. Try again in ${minutes} minute(s).`, {
        retryAfterMs: refusal.msBeforeNext,
      });
    }
  }

  /** The attempt was right: it does not count, and earlier failures for this account are forgotten. */
  async forgive({ emailNormalised, address }: SignInAttempt): Promise<void> {
    await this.#byAddress.reward(networkOf(address));
    await this.#byAccount.delete(emailNormalised);
  }
}
