import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../kernel/app-error.js';

const windowSeconds = 60;

/** Counts each account's requests in this process. */
export class RequestRateLimit {
  readonly #limiter: RateLimiterMemory;

  constructor(private readonly requestsPerMinute: number) {
    this.#limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: windowSeconds });
  }

  /**
   * Takes one request off the account's minute.
   * @returns the headers that tell a caller where it stands.
   * @throws RateLimitedError when the minute is used up.
   */
  async take(accountId: string): Promise<Record<string, string>> {
    try {
      return this.#toHeaders(await this.#limiter.consume(accountId));
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw new RateLimitedError(this.requestsPerMinute, refusal.msBeforeNext, this.#toHeaders(refusal));
    }
  }

  #toHeaders(state: RateLimiterRes): Record<string, string> {
    return {
      'x-ratelimit-limit-requests': String(this.requestsPerMinute),
      'x-ratelimit-remaining-requests': String(Math.max(0, state.remainingPoints)),
      'x-ratelimit-reset-requests': `${Math.ceil(state.msBeforeNext / 1_000)}s`,
    };
  }
}

/** Too many requests in this minute. Nothing was sent and nothing charged. */
export class RateLimitedError extends AppError {
  constructor(
    requestsPerMinute: number,
    waitMs: number,
    readonly headers: Readonly<Record<string, string>>,
  ) {
    super(
      'rate_limit_exceeded',
      `Rate limit reached: ${requestsPerMinute} requests per minute. Try again in ${Math.ceil(waitMs / 1_000)} s.`,
      { retryAfterMs: waitMs },
    );
  }
}
