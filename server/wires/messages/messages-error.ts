import type { WireError } from '../answer-wire.js';

/** An error as Anthropic's clients read it. */
export interface MessagesError {
  readonly type: 'error';
  readonly error: { readonly type: string; readonly message: string };
  readonly request_id: string;
}

// https://platform.claude.com/docs/en/api/errors
const typesByStatus: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

/** Puts an error into Anthropic's form. */
export function toMessagesError({ status, body }: WireError, requestId: string): MessagesError {
  const type = typesByStatus[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return { type: 'error', error: { type, message: body.error.message }, request_id: requestId };
}
