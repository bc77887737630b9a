import type { ProofWanted } from './session/fresh-proof';

/** The codes that the server puts into `extensions.code`. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'BAD_USER_INPUT'
  | 'CONFLICT'
  | 'RATE_LIMITED'
  | 'INTERNAL';

interface ErrorWords {
  readonly words: string;
  /** The server's own sentence says more than ours, because it knows the case. */
  readonly isServerSentenceBetter: boolean;
}

const wordsOfCode: Record<ErrorCode, ErrorWords> = {
  UNAUTHENTICATED: { words: 'Your session has ended. Sign in again to continue.', isServerSentenceBetter: false },
  FORBIDDEN: { words: 'You do not have permission to do this.', isServerSentenceBetter: true },
  NOT_FOUND: { words: 'Your account has nothing at this address. Check it.', isServerSentenceBetter: true },
  BAD_USER_INPUT: {
    words: 'One of the values is not accepted. Check the form and try again.',
    isServerSentenceBetter: true,
  },
  CONFLICT: { words: 'This is not possible right now. Reload the page and look again.', isServerSentenceBetter: true },
  RATE_LIMITED: { words: 'Too many attempts. Wait a minute, then try again.', isServerSentenceBetter: true },
  INTERNAL: {
    words: 'Something went wrong on our side. Try again in a moment.',
    isServerSentenceBetter: false,
  },
};

/** What an answer says that is none of GraphQL's: a proxy in front, or a server that broke. */
function httpWords(status: number): string {
  if (status === 429) return 'Too many requests. Wait a minute, then try again.';
  if (status >= 500) return `Tollgate answered with an error (HTTP ${status}). Try again in a moment.`;
  return `Tollgate did not accept the request (HTTP ${status}). Reload the page, then try again.`;
}

const unreachableWords = 'Tollgate cannot be reached. Check your connection, then try again.';

const unprovedWords = 'Nothing was changed, because you did not confirm it is you. Try again.';

interface ServerError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field: string | null;
  readonly reason: string | null;
  /** What the server wants as a proof, where it refuses for want of one. */
  readonly proof: string | null;
  /** By which the operator finds in the log what broke. */
  readonly requestId: string | null;
}

function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(wordsOfCode, value);
}

/** The errors that Apollo read, or those in the body of an answer whose status kept it from reading. */
function findErrors(error: unknown): readonly unknown[] | null {
  if (typeof error !== 'object' || error === null) return null;
  if ('errors' in error && Array.isArray(error.errors)) return error.errors;
  if (!('bodyText' in error) || typeof error.bodyText !== 'string') return null;
  try {
    const body = JSON.parse(error.bodyText) as { errors?: unknown } | null;
    return Array.isArray(body?.errors) && body.errors.length > 0 ? body.errors : null;
  } catch {
    return null;
  }
}

/** The status of an answer that Apollo could not read, or null when none arrived. */
function findStatus(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null;
  return typeof error.statusCode === 'number' ? error.statusCode : null;
}

/** The first GraphQL error inside whatever Apollo threw, or null when no GraphQL answer arrived. */
function findServerError(error: unknown): ServerError | null {
  const errors = findErrors(error);
  if (errors === null) return null;
  const first = errors[0] as { message?: unknown; extensions?: Record<string, unknown> } | undefined;
  if (first === undefined) return null;
  const { code, field, reason, proof, requestId } = first.extensions ?? {};
  return {
    code: isErrorCode(code) ? code : 'INTERNAL',
    message: typeof first.message === 'string' ? first.message : '',
    field: typeof field === 'string' ? field : null,
    reason: typeof reason === 'string' ? reason : null,
    proof: typeof proof === 'string' ? proof : null,
    requestId: typeof requestId === 'string' ? requestId : null,
  };
}

/** The code of the first GraphQL error, or null when the server could not be reached at all. */
export function graphqlErrorCode(error: unknown): ErrorCode | null {
  return findServerError(error)?.code ?? null;
}

/**
 * Whether the server says that it did not do what it was asked. False for an answer that was lost, for one of a proxy, and where
 * the server broke: what was asked may have been done.
 */
export function isRefusal(error: unknown): boolean {
  const code = graphqlErrorCode(error);
  return code !== null && code !== 'INTERNAL';
}

/** The finer word of the first GraphQL error for why it refuses, such as `second_factor_required`; null: it has none. */
export function graphqlErrorReason(error: unknown): string | null {
  return findServerError(error)?.reason ?? null;
}

/** What proof the server wants before it goes on; null: it is not about that. */
export function graphqlErrorProof(error: unknown): ProofWanted | null {
  const serverError = findServerError(error);
  if (serverError?.reason !== 'fresh_factor_required') return null;
  return serverError.proof === 'factor' ? 'factor' : 'password';
}

/** The server's own sentence, where its code alone would not tell what happened; else as `graphqlErrorMessage`. */
export function graphqlErrorSentence(error: unknown): string {
  return findServerError(error)?.message || graphqlErrorMessage(error);
}

/**
 * What there is to say of an answer that leaves open whether something was done: the server's own sentence of what happened where it has one,
 * and never one that claims that nothing was done.
 */
export function unclearSentence(error: unknown): string {
  const { reason = null, message = '', requestId = null } = findServerError(error) ?? {};
  // What to do, and that nothing is known, is said by whoever asks, who knows the case.
  if (reason !== null && message !== '') return firstSentence(message);
  const report = requestId === null ? '' : ` If this continues, report the id ${requestId}.`;
  return `Tollgate’s answer was not clear.${report}`;
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?= |$)/s.exec(text)?.[0] ?? text;
}

/** Turns whatever Apollo threw into one sentence that names the remedy. Never throws. */
export function graphqlErrorMessage(error: unknown): string {
  const serverError = findServerError(error);
  if (serverError === null) {
    const status = findStatus(error);
    return status === null ? unreachableWords : httpWords(status);
  }
  if (serverError.reason === 'fresh_factor_required') return unprovedWords;
  const { words, isServerSentenceBetter } = wordsOfCode[serverError.code];
  // It names what is away, and that it comes back by itself: nothing broke.
  const isBetter = isServerSentenceBetter || serverError.reason === 'service_unavailable';
  return isBetter && serverError.message ? serverError.message : words;
}

/**
 * Finds the form field that an error belongs to, so that its words can stand below that field.
 *
 * @param fields Names of the form's fields; `input.email` counts as `email`.
 * @returns null when the error concerns no field of this form.
 */
export function graphqlErrorField<Field extends string>(error: unknown, fields: readonly Field[]): Field | null {
  const name = findServerError(error)?.field?.split('.').at(-1);
  return fields.find((field) => field === name) ?? null;
}
