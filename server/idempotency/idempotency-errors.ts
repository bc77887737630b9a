import { AppError } from '../kernel/app-error.js';

/** What a caller is told who asks again with the same key and cannot be given an answer. */
export const idempotencyErrors = {
  invalidKey: () =>
    new AppError('invalid_value', "Invalid 'Idempotency-Key': must be 1 to 255 printable ASCII characters."),
  databaseAway: (cause: unknown) =>
    new AppError('service_unavailable', 'The database is away for the moment. Nothing was sent; try again soon.', {
      retryAfterMs: 5_000,
      cause,
    }),
  inUse: () =>
    new AppError(
      'idempotency_key_in_use',
      'The first attempt of this request is still running. Try again when it has ended.',
      { retryAfterMs: 2_000 },
    ),
  reused: () =>
    new AppError(
      'idempotency_key_reused',
      'This Idempotency-Key came with another body before. Use a new key for a new request.',
    ),
  notKept: (callId: string) =>
    new AppError(
      'conflict',
      `The request with this Idempotency-Key has ended and was billed as ${callId}, but its answer was not kept: it was too large, or broke off. GET …/calls/${callId} shows its receipt; use a new key to ask again.`,
      { metadata: { call_id: callId } },
    ),
  notKeptForRetry: (callId: string) =>
    new AppError(
      'conflict',
      `The first attempt of this request has ended and was billed as ${callId}, but its answer was not kept: it was too large, or broke off. GET …/calls/${callId} shows its receipt. Give your client a longer timeout, or stream; to make another call, which is billed as well, send it without x-stainless-retry-count.`,
      { metadata: { call_id: callId } },
    ),
};
