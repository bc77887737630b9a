import { AppError } from '../kernel/app-error.js';
import type { SlidingWindow } from './sliding-window.js';

/** No more requests of one account than this in any 60 seconds, however they are spread. */
export class RequestRateLimit {
  constructor(
    private readonly window: SlidingWindow,
    private readonly requestsPerMinute: number,
  ) {}

  /**
   * Takes one request off the account's minute, and, for a key with a rate of its own, off the key's minute before; a
   * refused one takes nothing of the minute that refuses it.
   * @returns the headers that tell a caller where it stands, by the narrower of the two.
   * @throws RateLimitedError when a minute is used up.
   */
  async take(
    { accountId, keyId, ownRate, accountRate }: RequestOwner,
    requestId: string,
  ): Promise<Record<string, string>> {
    const key =
      ownRate === null ? null : await this.#enter(keyId, requestId, { limit: ownRate, owner: 'This API key' });
    const limit = accountRate ?? this.requestsPerMinute;
    const account = await this.#enter(accountId, requestId, { limit, owner: 'Your account' });
    return (key && key.remaining <= account.remaining ? key : account).headers;
  }

  async #enter(id: string, requestId: string, { limit, owner }: { limit: number; owner: string }) {
    const entry = await this.window.enter({ accountId: id, requestId, limit });
    const remaining = Math.max(0, limit - entry.count);
    const headers = {
      'x-ratelimit-limit-requests': String(limit),
      'x-ratelimit-remaining-requests': String(remaining),
      'x-ratelimit-reset-requests': toGoDuration(entry.oldestLeavesInMs),
    };
    if (!entry.isEntered) {
      const waitMs = entry.oldestLeavesInMs;
      throw new RateLimitedError(
        `Rate limit reached: ${owner} may make ${limit} requests per minute. Try again in ${Math.ceil(waitMs / 1_000)} s.`,
        { waitMs, headers },
      );
    }
    return { remaining, headers };
  }
}

/** Who makes a request. */
export interface RequestOwner {
  readonly accountId: string;
  readonly keyId: string;
  /** The key's own requests per minute; null: it has the account's. */
  readonly ownRate: number | null;
  /** The account's own requests per minute; null: it has the server's. */
  readonly accountRate: number | null;
}

/** Too many requests, or tokens, in this minute. Nothing was sent and nothing charged. */
export class RateLimitedError extends AppError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, { waitMs, headers }: { waitMs: number; headers: Readonly<Record<string, string>> }) {
    super('rate_limit_exceeded', message, { retryAfterMs: waitMs });
    this.headers = headers;
  }
}

/** As OpenAI writes it: 12ms, 1s, 1m1s. */
export function toGoDuration(durationMs: number): string {
  if (durationMs > 60_000) return `${Math.floor(durationMs / 60_000)}m${Math.ceil((durationMs % 60_000) / 1_000)}s`;
  return durationMs < 1_000 ? `${Math.ceil(durationMs)}ms` : `${Math.ceil(durationMs / 1_000)}s`;
}
