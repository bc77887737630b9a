import { findDatabaseAway } from '../../database/database-errors.js';
import { AppError, type ErrorCode } from '../../kernel/app-error.js';
import type { LogLevel } from '../../kernel/logger.js';

interface ErrorSpec {
  readonly status: number;
  /** OpenAI's coarse word for it. */
  readonly type: 'invalid_request_error' | 'insufficient_quota' | 'requests' | 'server_error';
  /** What OpenAI's clients are told to do, where their own rule for the status would be wrong. */
  readonly shouldRetry?: boolean;
  /** The code on the wire, where it differs from ours. */
  readonly wireCode?: string | null;
  readonly logLevel: Extract<LogLevel, 'info' | 'warn' | 'error'>;
}

const invalidRequest = { status: 400, type: 'invalid_request_error', logLevel: 'info' } as const;
const server = (status: number, logLevel: ErrorSpec['logLevel'] = 'warn') =>
  ({ status, type: 'server_error', logLevel }) as const;

/** Every refusal as OpenAI's clients expect it. Total: a new code does not compile before it stands here. */
const errorSpecs: Readonly<Record<ErrorCode, ErrorSpec>> = {
  invalid_json: invalidRequest,
  missing_required_parameter: invalidRequest,
  invalid_type: invalidRequest,
  invalid_value: invalidRequest,
  unsupported_parameter: invalidRequest,
  unsupported_value: invalidRequest,
  missing_api_key: { ...invalidRequest, status: 401, wireCode: null },
  invalid_api_key: { ...invalidRequest, status: 401 },
  // OpenAI's clients retry 429 by themselves; an empty balance must not be hammered, hence 402 and the plain word to stop.
  insufficient_quota: { status: 402, type: 'insufficient_quota', shouldRetry: false, logLevel: 'info' },
  credits_reserved: { status: 402, type: 'insufficient_quota', shouldRetry: true, logLevel: 'info' },
  key_limit_exceeded: { status: 402, type: 'insufficient_quota', shouldRetry: false, logLevel: 'info' },
  member_budget_exceeded: { status: 402, type: 'insufficient_quota', shouldRetry: false, logLevel: 'info' },
  missing_scope: { ...invalidRequest, status: 403 },
  session_required: { ...invalidRequest, status: 403 },
  role_required: { ...invalidRequest, status: 403 },
  second_factor_required: { ...invalidRequest, status: 401 },
  fresh_factor_required: { ...invalidRequest, status: 403 },
  session_of_another: { ...invalidRequest, status: 409 },
  beyond_own_permissions: { ...invalidRequest, status: 403 },
  model_not_allowed: { ...invalidRequest, status: 403 },
  provider_not_allowed: { ...invalidRequest, status: 403 },
  ip_not_authorized: { ...invalidRequest, status: 403 },
  model_not_found: { ...invalidRequest, status: 404 },
  unknown_url: { ...invalidRequest, status: 404 },
  unsupported_endpoint: { ...invalidRequest, status: 404 },
  method_not_supported: { ...invalidRequest, status: 405 },
  request_too_large: { ...invalidRequest, status: 413 },
  unsupported_media_type: { ...invalidRequest, status: 415 },
  rate_limit_exceeded: { status: 429, type: 'requests', logLevel: 'info' },
  concurrency_limit_exceeded: { status: 429, type: 'requests', logLevel: 'info' },
  idempotency_key_in_use: { ...invalidRequest, status: 409, shouldRetry: true },
  idempotency_key_reused: { ...invalidRequest, status: 422, shouldRetry: false },
  provider_rejected: { ...invalidRequest, shouldRetry: false },
  provider_rate_limited: server(429),
  provider_unavailable: { ...server(503, 'error'), shouldRetry: false },
  provider_error: server(502),
  provider_overloaded: server(503),
  provider_timeout: server(504),
  // The same request mostly stumbles again, and each attempt costs the operator its whole prompt and thoughts.
  model_error: { ...server(502), shouldRetry: false },
  service_unavailable: server(503, 'error'),
  // Whoever repeats it blindly may pay twice.
  settlement_in_doubt: { ...server(503, 'error'), shouldRetry: false },
  maintenance: server(503, 'info'),
  internal_error: server(500, 'error'),
  unauthenticated: { ...invalidRequest, status: 401 },
  forbidden: { ...invalidRequest, status: 403 },
  not_found: { ...invalidRequest, status: 404 },
  // OpenAI's clients retry 409 by themselves; what was billed is answered the same each time.
  conflict: { ...invalidRequest, status: 409, shouldRetry: false },
};

/** Every code that there is. */
export const allErrorCodes: readonly string[] = Object.keys(errorSpecs);

export interface OpenaiErrorAnswer {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: OpenaiErrorBody };
  readonly logLevel: ErrorSpec['logLevel'];
  /** For the log alone. */
  readonly innerReason: string | null;
  /** Whether the log has the whole stack: only of what nobody foresaw. An outage is told by its code and reason, in a line for each request. */
  readonly isOurBug: boolean;
}

export interface OpenaiErrorBody {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
  readonly metadata?: NonNullable<AppError['metadata']>;
}

/** Turns anything thrown into an answer that OpenAI's clients understand. What is neither an `AppError` nor a database that is away stays our secret. */
export function toOpenaiError(thrown: unknown): OpenaiErrorAnswer {
  const error =
    thrown instanceof AppError
      ? thrown
      : (findDatabaseAway(thrown) ??
        new AppError(
          'internal_error',
          'Something went wrong on our side. Nothing was lost. If you report it, include the x-request-id.',
        ));
  const spec = errorSpecs[error.code];
  return {
    code: error.code,
    status: spec.status,
    headers: { ...retryHeaders(error, spec), ...(spec.status === 401 ? { 'www-authenticate': 'Bearer' } : {}) },
    body: {
      error: {
        message: error.message,
        type: spec.type,
        param: error.param,
        code: toWireCode(error, spec),
        ...(error.metadata ? { metadata: error.metadata } : {}),
      },
    },
    logLevel: spec.logLevel,
    innerReason: error.innerReason,
    isOurBug: error.code === 'internal_error',
  };
}

// A provider's own word for what is wrong with the request is worth passing on: LangChain reads `context_length_exceeded`.
function toWireCode(error: AppError, spec: ErrorSpec): string | null {
  const providerCode = error.code === 'provider_rejected' ? error.metadata?.providerCode : undefined;
  if (typeof providerCode === 'string') return providerCode;
  return spec.wireCode === undefined ? error.code : spec.wireCode;
}

// Clients disbelieve a wait above a minute, and some read only one of the two headers.
function retryHeaders(error: AppError, spec: ErrorSpec): Record<string, string> {
  const headers: Record<string, string> = {};
  // A provider that needs us to mend it comes back nobody knows when; one whose circuit is open, when it closes.
  const shouldRetry = error.code === 'provider_unavailable' && error.retryAfterMs !== null ? true : spec.shouldRetry;
  if (shouldRetry !== undefined) headers['x-should-retry'] = String(shouldRetry);
  const canWait = spec.status === 429 || spec.status === 503 || error.retryAfterMs !== null;
  if (canWait && shouldRetry !== false) {
    const waitMs = Math.min(Math.max(error.retryAfterMs ?? 1_000, 1), 60_000);
    headers['retry-after'] = String(Math.ceil(waitMs / 1_000));
    headers['retry-after-ms'] = String(Math.ceil(waitMs));
  }
  return headers;
}
