import { formatCredits } from './format/format-credits';
import { readerLocale } from './format/reader-locale';

export type KeyScope = 'CHAT' | 'USAGE_READ' | 'KEYS_WRITE' | 'BILLING_WRITE';
export type SpendPeriod = 'DAY' | 'WEEK' | 'MONTH';

/** What a key may do; null: no limit of its own. */
export interface KeyPermissions {
  readonly scopes: readonly KeyScope[];
  readonly models: readonly string[] | null;
  readonly providers: readonly string[] | null;
  /** Credits. */
  readonly spendLimit: number | null;
  readonly spendPeriod: SpendPeriod | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly addresses: readonly string[] | null;
  /** ISO 8601, or `noDayYet`. */
  readonly expiresAt: string | null;
}

/** Stands in the place of a day that is still being written. */
export const noDayYet = '';

export const scopeWords: Record<KeyScope, string> = {
  CHAT: 'call models',
  USAGE_READ: 'read usage',
  KEYS_WRITE: 'manage keys',
  BILLING_WRITE: 'buy credits',
};

export const periodWords: Record<SpendPeriod, string> = { DAY: 'day', WEEK: 'week', MONTH: 'month' };

const namesShown = 3;

/**
 * What a key may do, as one says it: `This key may call models and read usage: gpt-4o only, for at most 500 credits per
 * month, from any address, until it is revoked.`
 */
export function keySentence(key: KeyPermissions): string {
  const may = joinWords(key.scopes.map((scope) => scopeWords[scope]));
  const limits = [
    ...(key.scopes.includes('CHAT') ? callWords(key) : []),
    key.addresses === null ? 'from any address' : `from ${joinNames(key.addresses, 'no address yet')}`,
    key.expiresAt === null ? 'until it is revoked' : `until ${nameDay(key.expiresAt)}`,
  ];
  return `This key may ${may || 'do nothing'}: ${limits.join(', ')}.`;
}

function callWords({ models, providers, spendLimit, spendPeriod, ...rates }: KeyPermissions): string[] {
  const { requestsPerMinute, tokensPerMinute } = rates;
  return [
    models === null ? 'any model' : joinNames(models, 'no model yet'),
    ...(providers === null ? [] : [`answered by ${joinNames(providers, 'no provider yet')}`]),
    spendLimit === null || spendPeriod === null
      ? 'with no budget'
      : `for at most ${formatCredits(spendLimit)} credits per ${periodWords[spendPeriod]}`,
    ...(requestsPerMinute === null ? [] : [`with at most ${formatCount(requestsPerMinute)} requests per minute`]),
    ...(tokensPerMinute === null ? [] : [`with at most ${formatCount(tokensPerMinute)} tokens per minute`]),
  ];
}

function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** @param none What one says while nothing has been chosen. */
function joinNames(names: readonly string[], none: string): string {
  if (names.length === 0) return none;
  const rest = names.length - namesShown;
  return `${joinWords(rest > 0 ? [...names.slice(0, namesShown), `${rest} more`] : names)} only`;
}

function joinWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function nameDay(at: string): string {
  if (at === noDayYet) return 'a day that is not chosen yet';
  return new Date(at).toLocaleDateString(readerLocale(), { dateStyle: 'long', timeZone: 'UTC' });
}
