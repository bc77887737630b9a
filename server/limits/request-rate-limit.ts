import { AppError } from '../kernel/app-error.js';
import type { RequestLog } from './request-log.js';

/** No more requests of one account than this in any 60 seconds, however they are spread. */
export class RequestRateLimit {
  constructor(
    private readonly log: RequestLog,
    private readonly requestsPerMinute: number,
  ) {}

  /**
   * Takes one request off the account's minute; a refused one takes nothing.
   * @returns the headers that tell a caller where it stands.
   * @throws RateLimitedError when the minute is used up.
   */
  async take(accountId: string, requestId: string): Promise<Record<string, string>> {
    const entry = await this.log.enter({ accountId, requestId, limit: this.requestsPerMinute });
    const headers = {
      'x-ratelimit-limit-requests': String(this.requestsPerMinute),
      'x-ratelimit-remaining-requests': String(Math.max(0, this.requestsPerMinute - entry.count)),
      'x-ratelimit-reset-requests': toGoDuration(entry.oldestLeavesInMs),
    };
    if (!entry.isEntered) throw new RateLimitedError(this.requestsPerMinute, entry.oldestLeavesInMs, headers);
    return headers;
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

// As OpenAI writes it: 12ms, 1s.
function toGoDuration(durationMs: number): string {
  return durationMs < 1_000 ? `${Math.ceil(durationMs)}ms` : `${Math.ceil(durationMs / 1_000)}s`;
}
