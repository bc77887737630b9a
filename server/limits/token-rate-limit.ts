import { AppError } from '../kernel/app-error.js';
import { playgroundKeyId } from '../kernel/ids.js';
import { RateLimitedError, toGoDuration } from './request-rate-limit.js';
import type { TokenEntry, TokenLog } from './token-log.js';

/** Tokens in any 60 seconds; null: as many as there are. */
export interface TokenRates {
  readonly account: number | null;
  readonly key: number | null;
}

/** The tokens of one call, taken off the minute of its account and of its key. */
export interface TakenTokens {
  /** Where the caller stands, by the narrower of the two, in the words of OpenAI. */
  readonly headers: Readonly<Record<string, string>>;
  /** Puts what the call really used in the place of its estimate. Never throws. */
  correct(tokens: number): Promise<void>;
}

/** Whose call it is: of a key, or of what stands in the place of one. */
export interface TokenOwner {
  readonly accountId: string;
  readonly keyId: string;
  /** The key's own tokens per minute; null: it has none. */
  readonly ownRate: number | null;
  /** The account's own tokens per minute; null: it has the server's. */
  readonly accountRate: number | null;
}

/** No calls of one account, or of one key, with more tokens than this in any 60 seconds, as far as that can be told ahead. */
export class TokenRateLimit {
  constructor(
    private readonly log: TokenLog,
    private readonly rates: TokenRates,
  ) {}

  /** Whether anything is limited: who limits nothing need estimate nothing. */
  isOnFor({ ownRate, accountRate }: Pick<TokenOwner, 'ownRate' | 'accountRate'>): boolean {
    return (accountRate ?? this.rates.account) !== null || this.findRateOfKey(ownRate) !== null;
  }

  /** The narrower of a key's own tokens per minute and those of every key; null: neither is there. */
  findRateOfKey(ownRate: number | null): number | null {
    const found = [ownRate, this.rates.key].filter((rate) => rate !== null);
    return found.length === 0 ? null : Math.min(...found);
  }

  /**
   * Takes a call's estimate off the key's minute and the account's; one that is refused, or cannot be counted, takes nothing of either.
   * @throws RateLimitedError when a minute has no room for it; AppError `request_too_large` when no minute ever has.
   */
  async take({ accountId, keyId, ownRate, accountRate }: TokenOwner, tokens: number): Promise<TakenTokens> {
    const wanted = [
      { ...describeKey(accountId, keyId), limit: this.findRateOfKey(ownRate) },
      { id: accountId, limit: accountRate ?? this.rates.account, owner: 'Your account' },
    ];
    const taken: { entry: TokenEntry; limit: number }[] = [];
    const correct = async (used: number) => {
      await Promise.all(taken.map(({ entry }) => entry.correct(used - tokens)));
    };
    for (const { id, limit, owner } of wanted) {
      if (limit === null) continue;
      if (tokens > limit) {
        await correct(0);
        throw new AppError('request_too_large', tooLarge(owner, tokens, limit), { param: 'max_tokens' });
      }
      const entry = await this.log.enter({ ownerId: id, tokens, limit }).catch(async (error: unknown) => {
        await correct(0);
        throw error;
      });
      if (!entry.isEntered) {
        await correct(0);
        const headers = toHeaders(entry, limit);
        throw new RateLimitedError(tooMany(owner, tokens, limit, entry), { waitMs: entry.roomInMs, headers });
      }
      taken.push({ entry, limit });
    }
    const [narrowest] = taken.toSorted((one, other) => leftIn(one) - leftIn(other));
    return { headers: narrowest ? toHeaders(narrowest.entry, narrowest.limit) : {}, correct };
  }
}

// All accounts' playgrounds have the same stand-in, and each account's is limited by itself.
function describeKey(accountId: string, keyId: string): { readonly id: string; readonly owner: string } {
  if (keyId !== playgroundKeyId) return { id: keyId, owner: 'This API key' };
  return { id: `${accountId}:p`, owner: 'The playground' };
}

function leftIn({ entry, limit }: { entry: TokenEntry; limit: number }): number {
  return Math.max(0, limit - entry.used);
}

function toHeaders(entry: TokenEntry, limit: number): Record<string, string> {
  return {
    'x-ratelimit-limit-tokens': String(limit),
    'x-ratelimit-remaining-tokens': String(leftIn({ entry, limit })),
    'x-ratelimit-reset-tokens': toGoDuration(entry.emptyInMs),
  };
}

function tooMany(owner: string, tokens: number, limit: number, { used, roomInMs }: TokenEntry): string {
  const seconds = Math.ceil(roomInMs / 1_000);
  return `Rate limit reached: ${owner} may use ${limit} tokens per minute; ${used} are used, and this request counts as about ${tokens}. Try again in ${seconds} s.`;
}

function tooLarge(owner: string, tokens: number, limit: number): string {
  return `This request counts as about ${tokens} tokens, and ${owner.toLowerCase().replace('api', 'API')} may use ${limit} per minute. Shorten the prompt, or lower max_tokens.`;
}
