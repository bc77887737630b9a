import { AppError, type ErrorCode } from '../kernel/app-error.js';

interface Words {
  readonly code: ErrorCode;
  readonly message: string;
}

const byStatus: Readonly<Record<number, Words>> = {
  404: { code: 'unknown_url', message: 'There is nothing at this address.' },
  405: { code: 'method_not_supported', message: 'This address does not know that method.' },
  413: { code: 'request_too_large', message: 'The request is too large.' },
  415: { code: 'unsupported_media_type', message: 'This type of content is not known here.' },
};
const otherwise: Words = {
  code: 'invalid_value',
  message: 'The address or a header of the request cannot be read. Correct it.',
};

/**
 * The refusal behind an error of Express and what it is made of, which mark what the sender did wrong with a status from 400 to
 * 499: an escape such as `%zz` in an address, a file that is not there, a range beyond its end. null: it is not the sender's.
 */
export function findClientFault(error: unknown): AppError | null {
  if (error instanceof AppError) return null;
  const { status } = (error ?? {}) as { status?: unknown };
  if (typeof status !== 'number' || status < 400 || status > 499) return null;
  const { code, message } = byStatus[status] ?? otherwise;
  return new AppError(code, message);
}
