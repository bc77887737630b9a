import type { AppError } from '../../kernel/app-error.js';
import { isJsonObject } from '../../kernel/json-body.js';
import { isErrorTold, parseObject } from '../json-object.js';
import type { HttpTarget, UpstreamRefusal } from '../provider-adapter.js';
import type { ProviderWords } from '../read-refusal.js';
import { createInBandError, createRefusalError } from '../upstream-error.js';

/** Translates a refusal by its status, and by the provider's words as far as they are safe. */
export function parseOpenAiError(refusal: UpstreamRefusal, target: HttpTarget): AppError {
  return createRefusalError({
    providerId: target.providerId,
    status: refusal.status,
    retryAfterMs: refusal.retryAfterMs,
    words: readWords(refusal.body),
    apiKey: target.apiKey,
    upstreamModel: target.upstreamModel,
  });
}

/**
 * Finds the error that some providers put into an answer with status 200: `{"error": …}`, vLLM's `{"object": "error"}`, or
 * an event that is named `error`. null: no error in it.
 */
export function findInBandError(
  answer: Record<string, unknown>,
  providerId: string,
  isErrorEvent = false,
): AppError | null {
  if (!isErrorTold(answer.error) && answer.object !== 'error' && !isErrorEvent) return null;
  const details = isJsonObject(answer.error) ? answer.error : answer;
  const status = [details.status, details.code, details.status_code].find(isRefusalStatus) ?? null;
  return createInBandError(providerId, status, typeof details.code === 'string' ? details.code : null);
}

function isRefusalStatus(value: unknown): value is number {
  return typeof value === 'number' && value >= 400 && value <= 599;
}

// The forms met in the wild: {error: {…}}, {error: "…"}, {message}, {detail: "…" | [{msg}]}, {msg}, {error_msg}.
function readWords(body: string): ProviderWords {
  const answer = parseObject(body) ?? {};
  const details = isJsonObject(answer.error) ? answer.error : answer;
  const firstDetail = Array.isArray(details.detail) ? details.detail[0] : details.detail;
  const message = [
    details.message,
    answer.error,
    isJsonObject(firstDetail) ? firstDetail.msg : firstDetail,
    details.msg,
    details.error_msg,
  ].find((text) => typeof text === 'string' && text !== '');
  return {
    message: typeof message === 'string' ? message : null,
    param: typeof details.param === 'string' ? details.param : null,
    code: [details.code, details.type].find((text) => typeof text === 'string') ?? null,
  };
}
