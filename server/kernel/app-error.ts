/**
 * Every way in which Tollgate says no. The codes of the proxy are the ones that OpenAI's clients know; the table
 * `http/calls/openai-error.ts` gives each its status and `graphql/graphql-error.ts` its GraphQL code. Both are total, so a new
 * code does not compile until both know it.
 */
export type ErrorCode =
  | 'invalid_json'
  | 'missing_required_parameter'
  | 'invalid_type'
  | 'invalid_value'
  | 'unsupported_parameter'
  | 'unsupported_value'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'insufficient_quota'
  | 'credits_reserved'
  | 'key_limit_exceeded'
  | 'member_budget_exceeded'
  | 'missing_scope'
  | 'session_required'
  | 'role_required'
  | 'second_factor_required'
  | 'fresh_factor_required'
  | 'beyond_own_permissions'
  | 'session_of_another'
  | 'model_not_allowed'
  | 'provider_not_allowed'
  | 'ip_not_authorized'
  | 'model_not_found'
  | 'unknown_url'
  | 'unsupported_endpoint'
  | 'method_not_supported'
  | 'request_too_large'
  | 'unsupported_media_type'
  | 'rate_limit_exceeded'
  | 'concurrency_limit_exceeded'
  | 'idempotency_key_in_use'
  | 'idempotency_key_reused'
  | 'provider_rejected'
  | 'provider_rate_limited'
  | 'provider_unavailable'
  | 'provider_error'
  | 'provider_overloaded'
  | 'provider_timeout'
  | 'model_error'
  | 'service_unavailable'
  | 'settlement_in_doubt'
  | 'maintenance'
  | 'internal_error'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict';

export interface AppErrorOptions {
  /** The field at fault, as a dotted path such as `messages[2].content`. */
  readonly param?: string;
  /** How long a caller had better wait. */
  readonly retryAfterMs?: number;
  /** Facts for machines, shown to the caller: never a secret, a host or another account's data. */
  readonly metadata?: Readonly<Record<string, string | number | boolean | null>>;
  /** For the operator alone, who reads it in the log: what happened inside. Never a secret, a prompt or an answer. Left out: what `cause` is called. */
  readonly innerReason?: string;
  readonly cause?: unknown;
}

/** A refusal with a stable code and two texts: for its caller, with the remedy, and for the operator, with what happened inside. Knows no transport. */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly param: string | null;
  readonly retryAfterMs: number | null;
  readonly metadata: AppErrorOptions['metadata'] | null;
  /** What the log says beside the code; null: the code says all. */
  readonly innerReason: string | null;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: AppErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.param = options.param ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.metadata = options.metadata ?? null;
    this.innerReason = options.innerReason ?? nameCause(options.cause);
  }
}

/** Someone else's object and a missing one are answered alike, in words for people as well, who see names and no ids. */
export class NotFoundError extends AppError {
  constructor(what: string) {
    super('not_found', `There is no such ${what} in your account, or not any more. Load the list again.`);
  }
}

/** The signed-in user's input has a fault in one field. */
export class InvalidInputError extends AppError {
  constructor(field: string, message: string) {
    super('invalid_value', message, { param: field });
  }
}

/** A word that names one change came with something else before, which may have been done. */
export class AskedOtherwiseError extends AppError {
  /** @param asked What was asked for then, such as `100 cents`. @param reason Why, as it was said then. */
  constructor(asked: string, reason: string) {
    const words = `This word was already asked for with ${asked} (${reason}), which may have been done. Look first, and begin anew for anything else.`;
    super('conflict', words, { param: 'once' });
  }
}

// Not its message, in which a parser quotes what it could not read.
function nameCause(cause: unknown): string | null {
  if (!(cause instanceof Error)) return null;
  const { code, syscall } = cause as NodeJS.ErrnoException;
  return [cause.name, syscall, code].filter((word) => typeof word === 'string').join(' ');
}

/** What somebody is told who asks for what is an account's own, and is nobody that we know. */
export function createSignInError(): AppError {
  const words =
    'Sign in first: this is about your own account. A program sends `Authorization: Bearer <session token or API key>`.';
  return new AppError('unauthenticated', words);
}
