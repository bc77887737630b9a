import { AppError } from '../kernel/app-error.js';
import type { SlidingWindow, WindowEntry } from './sliding-window.js';

/** No more requests of one account than this in any 60 seconds, however they are spread. */
export class RequestRateLimit {
  constructor(
    private readonly window: SlidingWindow,
    private readonly requestsPerMinute: number,
  ) {}

  /**
   * Takes one request off the account's minute, and, for a key with a rate of its own, off the key's minute before; a
   * refused one takes nothing of the minute that refuses it.
   * @returns the headers that tell a caller where it stands, by the narrower of the two; at once where the window is this process's.
   * @throws RateLimitedError when a minute is used up.
   */
  take(owner: RequestOwner, requestId: string): RequestHeaders | Promise<RequestHeaders> {
    if (owner.ownRate !== null) return this.#takeOfBoth(owner, owner.ownRate, requestId);
    const account = this.#enterAccount(owner, requestId);
    return account instanceof Promise ? account.then(({ headers }) => headers) : account.headers;
  }

  async #takeOfBoth(owner: RequestOwner, ownRate: number, requestId: string): Promise<RequestHeaders> {
    const key = await this.#enter(owner.keyId, requestId, { limit: ownRate, owner: 'This API key' });
    const account = await this.#enterAccount(owner, requestId);
    return (key.remaining <= account.remaining ? key : account).headers;
  }

  #enterAccount({ accountId, accountRate }: RequestOwner, requestId: string): Standing | Promise<Standing> {
    return this.#enter(accountId, requestId, { limit: accountRate ?? this.requestsPerMinute, owner: 'Your account' });
  }

  #enter(id: string, requestId: string, minute: Minute): Standing | Promise<Standing> {
    const entry = this.window.enter({ accountId: id, requestId, limit: minute.limit });
    return entry instanceof Promise ? entry.then((entered) => toStanding(entered, minute)) : toStanding(entry, minute);
  }
}

type RequestHeaders = Readonly<Record<string, string>>;

interface Minute {
  readonly limit: number;
  /** Whose it is, in words. */
  readonly owner: string;
}

interface Standing {
  readonly remaining: number;
  readonly headers: RequestHeaders;
}

/** @throws RateLimitedError for a request that was not entered. */
function toStanding({ isEntered, count, oldestLeavesInMs: waitMs }: WindowEntry, { limit, owner }: Minute): Standing {
  const remaining = Math.max(0, limit - count);
  const headers = {
    'x-ratelimit-limit-requests': String(limit),
    'x-ratelimit-remaining-requests': String(remaining),
    'x-ratelimit-reset-requests': toGoDuration(waitMs),
  };
  if (isEntered) return { remaining, headers };
  throw new RateLimitedError(
    `Rate limit reached: ${owner} may make ${limit} requests per minute. Try again in ${Math.ceil(waitMs / 1_000)} s.`,
    { waitMs, headers },
  );
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
