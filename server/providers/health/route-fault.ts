import { AppError, type ErrorCode } from '../../kernel/app-error.js';
import { RouteFaultError, TotalTimeError } from '../upstream-error.js';

/**
 * Whom a failure says something about: `anyone`, since no request can have brought it about; or the `account` that asked alone, since
 * its request may have.
 */
export type FaultScope = 'anyone' | 'account';

export interface RouteFault {
  readonly scope: FaultScope;
  readonly error: AppError;
}

// What the provider, the way to it or our account there may be to blame for. A refusal of the caller's request is none of it, nor is a
// model that gave no usable answer where its provider was well.
const faultCodes: ReadonlySet<ErrorCode> = new Set([
  'provider_error',
  'provider_timeout',
  'provider_overloaded',
  'provider_rate_limited',
  'provider_unavailable',
]);

/**
 * What a failed attempt says of its route; null: nothing.
 * @param attempt Whether something of an answer came: one that is still being written when our time for a call is over is no fault.
 */
export function findRouteFault(error: unknown, { hasOutput }: { readonly hasOutput: boolean }): RouteFault | null {
  if (!(error instanceof AppError) || !faultCodes.has(error.code)) return null;
  if (hasOutput && error instanceof TotalTimeError) return null;
  return { scope: error instanceof RouteFaultError ? 'anyone' : 'account', error };
}
