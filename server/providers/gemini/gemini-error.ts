import type { AppError } from '../../kernel/app-error.js';
import { isJsonObject, toText } from '../../kernel/json-body.js';
import { isErrorTold } from '../json-object.js';
import type { HttpTarget, UpstreamRefusal } from '../provider-adapter.js';
import { createInBandError, createRefusalError } from '../upstream-error.js';

/** Google's names of its failures, for those that come without a number. */
const statusByName: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

interface GeminiFailure {
  readonly status: number | null;
  readonly message: string | null;
  /** In the words of `upstream-error.ts`. */
  readonly code: string | null;
  readonly retryAfterMs: number | null;
}

/** Translates a refusal: https://ai.google.dev/gemini-api/docs/troubleshooting, https://cloud.google.com/apis/design/errors */
export function parseGeminiError({ status, retryAfterMs, body }: UpstreamRefusal, target: HttpTarget): AppError {
  const failure = findFailure(parse(body));
  return createRefusalError({
    providerId: target.providerId,
    status,
    retryAfterMs: retryAfterMs ?? failure?.retryAfterMs ?? null,
    words: { message: failure?.message ?? null, param: null, code: failure?.code ?? null },
    apiKey: target.apiKey,
    upstreamModel: target.upstreamModel,
  });
}

/** Finds the failure that Google reports inside of an answer that had begun as a success; null: none. */
export function findGeminiInBandError(answer: unknown, providerId: string): AppError | null {
  const failure = findFailure(answer);
  return failure && createInBandError(providerId, failure.status, failure.code);
}

// A stream without `alt=sse` wraps its failure in a list; some gateways before Google do, too.
function findFailure(answer: unknown): GeminiFailure | null {
  const first: unknown = Array.isArray(answer) ? answer[0] : answer;
  if (!isJsonObject(first) || !isJsonObject(first.error) || !isErrorTold(first.error)) return null;
  const { code, status, message, details } = first.error;
  const facts = Array.isArray(details) ? details.filter(isJsonObject) : [];
  const name = typeof status === 'string' ? status : '';
  const text = typeof message === 'string' ? message : null;
  return {
    status: typeof code === 'number' && code >= 400 && code <= 599 ? code : (statusByName[name] ?? null),
    message: text,
    code: findCode(name, text, facts),
    retryAfterMs: findRetryAfterMs(facts),
  };
}

// A bad key of ours, a country or a bill that Google does not like: each comes as a 400, as a caller's own fault does. What Google
// says of the key begins with it; further on stand words of the request.
function findCode(name: string, message: string | null, facts: readonly Record<string, unknown>[]): string | null {
  if (facts.some(({ reason }) => typeof reason === 'string' && reason.startsWith('API_KEY_'))) return 'invalid_api_key';
  if (message !== null && /^API key (?:not valid|not found|expired)\b/i.test(message)) return 'invalid_api_key';
  if (name === 'FAILED_PRECONDITION') return 'billing_not_active';
  if (name === 'NOT_FOUND') return 'model_not_found';
  return message !== null && /token count\b.*\bexceeds/i.test(message) ? 'context_length_exceeded' : null;
}

// google.rpc.RetryInfo: a duration such as `34s` or `34.07s`.
function findRetryAfterMs(facts: readonly Record<string, unknown>[]): number | null {
  for (const { retryDelay } of facts) {
    const [, seconds] = /^(\d+(?:\.\d+)?)s$/.exec(toText(retryDelay)) ?? [];
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  }
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
