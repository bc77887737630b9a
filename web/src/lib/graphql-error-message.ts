import type { ProofWanted } from './fresh-proof';

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
  UNAUTHENTICATED: { words: 'Your session has ended. Sign in again to go on.', isServerSentenceBetter: false },
  FORBIDDEN: { words: 'Your account may not do this.', isServerSentenceBetter: true },
  NOT_FOUND: { words: 'This does not exist in your account. Check the address.', isServerSentenceBetter: true },
  BAD_USER_INPUT: {
    words: 'One of the values is not accepted. Check the form and try again.',
    isServerSentenceBetter: true,
  },
  CONFLICT: { words: 'This is not possible right now. Reload the page and look again.', isServerSentenceBetter: true },
  RATE_LIMITED: { words: 'Too many attempts. Wait a minute, then try again.', isServerSentenceBetter: true },
  INTERNAL: {
    words: 'Something broke on our side. Nothing was charged. Try again in a moment.',
    isServerSentenceBetter: false,
  },
};

const unreachableWords = 'Tollgate cannot be reached. Check your connection, then try again.';

const unprovedWords = 'Nothing was done, since you did not prove that it is you. Try again.';

interface ServerError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field: string | null;
  readonly reason: string | null;
  /** What the server wants as a proof, where it refuses for want of one. */
  readonly proof: string | null;
}

function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(wordsOfCode, value);
}

/** The first GraphQL error inside whatever Apollo threw, or null when no GraphQL answer arrived. */
function findServerError(error: unknown): ServerError | null {
  if (typeof error !== 'object' || error === null || !('errors' in error) || !Array.isArray(error.errors)) return null;
  const first = error.errors[0] as { message?: unknown; extensions?: Record<string, unknown> } | undefined;
  if (first === undefined) return null;
  const { code, field, reason, proof } = first.extensions ?? {};
  return {
    code: isErrorCode(code) ? code : 'INTERNAL',
    message: typeof first.message === 'string' ? first.message : '',
    field: typeof field === 'string' ? field : null,
    reason: typeof reason === 'string' ? reason : null,
    proof: typeof proof === 'string' ? proof : null,
  };
}

/** The code of the first GraphQL error, or null when the server could not be reached at all. */
export function graphqlErrorCode(error: unknown): ErrorCode | null {
  return findServerError(error)?.code ?? null;
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

/** Turns whatever Apollo threw into one sentence that names the remedy. Never throws. */
export function graphqlErrorMessage(error: unknown): string {
  const serverError = findServerError(error);
  if (serverError === null) return unreachableWords;
  if (serverError.reason === 'fresh_factor_required') return unprovedWords;
  const { words, isServerSentenceBetter } = wordsOfCode[serverError.code];
  return isServerSentenceBetter && serverError.message ? serverError.message : words;
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
