import type { AppError } from '../../kernel/app-error.js';
import { isJsonObject } from '../../kernel/json-body.js';
import { isErrorTold, parseObject } from '../json-object.js';
import type { HttpTarget, UpstreamRefusal } from '../provider-adapter.js';
import { createInBandError, createRefusalError } from '../upstream-error.js';

/** https://platform.claude.com/docs/en/api/errors: the type of an error -> the status that it has outside of a stream. */
const statusOfType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

// These speak of our account, although they come as faults of the request. Behind a quotation mark stand words of the request.
const accountWords =
  /^(?:your|you|this)\b[^'"`]*\b(?:credit balance|usage limits?|organization has been disabled|account has been disabled)\b/i;

/** Translates a refusal by its status, and by Anthropic's words as far as they are safe. */
export function parseAnthropicError(refusal: UpstreamRefusal, target: HttpTarget): AppError {
  const { message, code } = readWords(parseObject(refusal.body) ?? {});
  return createRefusalError({
    providerId: target.providerId,
    status: refusal.status,
    retryAfterMs: refusal.retryAfterMs,
    words: { message, param: null, code },
    apiKey: target.apiKey,
    upstreamModel: target.upstreamModel,
  });
}

/** Finds the error in an answer or an event that should have been a success; null: none in it. */
export function findAnthropicError(answer: Record<string, unknown>, providerId: string): AppError | null {
  if (answer.type !== 'error' && !isErrorTold(answer.error)) return null;
  const { type, code } = readWords(answer);
  const status = type !== null && Object.hasOwn(statusOfType, type) ? statusOfType[type] : undefined;
  return createInBandError(providerId, status ?? null, code);
}

function readWords({ error }: Record<string, unknown>) {
  const details = isJsonObject(error) ? error : {};
  const message = typeof details.message === 'string' ? details.message : null;
  const type = typeof details.type === 'string' ? details.type : null;
  const isAboutAccount = message !== null && accountWords.test(message);
  return { message, type, code: isAboutAccount ? 'insufficient_quota' : type };
}
