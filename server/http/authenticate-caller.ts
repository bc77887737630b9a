import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../kernel/app-error.js';
import { type AuthenticatedKey, type KeyAuthenticator, readKeyFromHeaders } from '../keys/authenticate-key.js';
import { RateLimitedError, type RequestRateLimit } from '../limits/request-rate-limit.js';
import { type ProxyExchange, setHeaders } from './proxy-exchange.js';

/** Requests without a good key from one network address in a minute, before they are only told to wait. */
const strangersPerMinute = 60;

/**
 * Lets callers in: finds out whose key it is and takes one request off that account's minute. A network address that keeps
 * coming without a good key is told to wait; good keys from the same address pass all the same. Those failures are counted
 * in this process alone, which is enough: a key of 40 random letters is not found by trying.
 */
export class CallerGate {
  readonly #strangers = new RateLimiterMemory({ points: strangersPerMinute, duration: 60 });

  constructor(
    private readonly authenticator: KeyAuthenticator,
    private readonly rateLimit: RequestRateLimit,
  ) {}

  /**
   * The account's standing goes into the headers, so that every answer has them, the refusals too.
   * @throws AppError `missing_api_key`, `invalid_api_key` or `rate_limit_exceeded`.
   */
  async admit(exchange: ProxyExchange): Promise<AuthenticatedKey> {
    const key = await this.#authenticate(exchange);
    try {
      setHeaders(exchange.response, await this.rateLimit.take(key.accountId, exchange.id));
    } catch (error) {
      if (error instanceof RateLimitedError) setHeaders(exchange.response, error.headers);
      throw error;
    }
    return key;
  }

  async #authenticate({ request, response }: ProxyExchange): Promise<AuthenticatedKey> {
    try {
      return await this.authenticator.authenticate(readKeyFromHeaders(request.headers));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const standing = await this.#countStranger(request.ip ?? 'unknown');
      response.setHeader('x-ratelimit-limit-requests', strangersPerMinute);
      response.setHeader('x-ratelimit-remaining-requests', Math.max(0, standing.remainingPoints));
      response.setHeader('x-ratelimit-reset-requests', `${Math.ceil(standing.msBeforeNext / 1_000)}s`);
      if (standing.consumedPoints <= strangersPerMinute) throw error;
      throw new AppError(
        'rate_limit_exceeded',
        'Too many requests without a valid API key from your address. Check the key, then try again.',
        { retryAfterMs: standing.msBeforeNext },
      );
    }
  }

  async #countStranger(address: string): Promise<RateLimiterRes> {
    try {
      return await this.#strangers.consume(address);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    }
  }
}
