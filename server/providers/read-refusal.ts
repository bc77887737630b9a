import type { ErrorCode } from '../kernel/app-error.js';
import type { Secret } from '../kernel/secret.js';
import { quoteSafely } from './quote-safely.js';

/** What a provider said about a refusal, as far as it said it in a known form. */
export interface ProviderWords {
  readonly message: string | null;
  readonly param: string | null;
  readonly code: string | null;
}

export interface RefusalFacts {
  readonly providerId: string;
  readonly status: number;
  readonly retryAfterMs: number | null;
  readonly words: ProviderWords;
  readonly apiKey: Secret | null;
  /** The provider's own name of the model, which may be quoted; null: not known. */
  readonly upstreamModel: string | null;
}

export type RefusalCode = Exclude<Extract<ErrorCode, `provider_${string}`>, 'provider_not_allowed'>;

const quotedCharactersMax = 300;

// These speak of our account, whatever their status.
const accountCodes = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'account_deactivated',
  'organization_restricted',
  'invalid_api_key',
]);

// These speak of the request and are safe and useful to pass on.
const requestCodes = new Set([
  'context_length_exceeded',
  'content_filter',
  'content_policy_violation',
  'invalid_image_format',
  'invalid_image_url',
  'model_not_found',
  'string_above_max_length',
  'unsupported_parameter',
  'unsupported_value',
]);

/** What a caller is told that a refusal is. */
export function chooseRefusalCode({ status, words }: RefusalFacts): RefusalCode {
  if (words.code !== null && accountCodes.has(words.code)) return 'provider_unavailable';
  switch (status) {
    case 400:
    case 404:
    case 413:
    case 422:
      return 'provider_rejected';
    case 401:
    case 402:
      return 'provider_unavailable';
    case 403:
      return isOfContent(words) ? 'provider_rejected' : 'provider_unavailable';
    case 408:
    case 504:
    case 524:
      return 'provider_timeout';
    case 429:
      return sayExcess(words) === null ? 'provider_rate_limited' : 'provider_rejected';
    case 503:
    case 529:
      return 'provider_overloaded';
    default:
      return 'provider_error';
  }
}

/** Whether a refusal is of the key that every request goes out with, so that no request has caused it. */
export function isOfOurKey({ status, words }: RefusalFacts): boolean {
  return status === 401 || (words.code !== null && accountCodes.has(words.code));
}

/**
 * OpenAI and those like it refuse a request that alone has more tokens than they take of us in a minute as if there had been too many:
 * no waiting mends it, and no other request is concerned. What they say of our account beside the two numbers stays here.
 * @returns null for any other refusal.
 */
export function sayExcess({ message }: ProviderWords): string | null {
  const found = /^Request too large for .*?\bLimit:? (\d+), Requested:? (\d+)\b/is.exec(message ?? '');
  const [limit, requested] = [Number(found?.[1]), Number(found?.[2])];
  if (!(requested > limit)) return null;
  return `it counts as ${requested} tokens there, and ${limit} are the most it takes. Shorten it, lower its cap, or use another provider.`;
}

/** Moderation, which some providers answer with the status of an account without rights: what one caller wrote is not our account's fault. */
function isOfContent({ message }: ProviderWords): boolean {
  return message !== null && /\bflagged\b|\bmoderation\b|\busage (?:guideline|polic)|\bcontent polic/i.test(message);
}

/**
 * A refusal in words for the operator. What speaks of our account cannot quote a prompt; of anything else, a 403 too, only the status and
 * the code are known not to.
 */
export function explainRefusal(facts: RefusalFacts): string {
  const {
    status,
    words: { code, message },
  } = facts;
  const isOfAccount = [401, 402, 429].includes(status) || (code !== null && accountCodes.has(code));
  const known = code !== null && /^[\w.-]{1,100}$/.test(code) ? `, code ${code}` : '';
  const quote = isOfAccount && message !== null ? quoteRefusal(message, facts) : '';
  return `status ${status}${known}${quote === '' ? '' : `: ${quote}`}`;
}

/** The provider's code where it speaks of the request and is safe and useful to pass on; null for any other. */
export function findRequestCode({ code, message }: ProviderWords): string | null {
  if (code !== null && requestCodes.has(code)) return code;
  const isTooLong = message !== null && /context[ _]length|context window|prompt is too long/i.test(message);
  return isTooLong ? 'context_length_exceeded' : null;
}

/** What a provider said, shortened to 300 characters and without what its caller must not read; '' when nothing is left. */
export function quoteRefusal(message: string, { apiKey, upstreamModel }: RefusalFacts): string {
  let text = message.slice(0, 4 * quotedCharactersMax);
  if (apiKey !== null) text = text.replaceAll(apiKey.reveal(), '[removed]');
  text = quoteSafely(text, upstreamModel === null ? [] : [upstreamModel]);
  text = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return text.length > quotedCharactersMax ? `${text.slice(0, quotedCharactersMax)}…` : text;
}
