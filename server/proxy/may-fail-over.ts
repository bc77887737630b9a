import { AppError } from '../kernel/app-error.js';
import { RefusedHandshakeError, UnaskedInterimError } from '../providers/upstream-error.js';

/** How far one attempt came. */
export interface SentSoFar {
  /** Whether the request went out on a connection. */
  readonly wasSent: boolean;
  /** The status of the provider's answer; null: none came. */
  readonly status: number | null;
  /** Whether anything of an answer was passed on. */
  readonly hasAnswered: boolean;
}

// Our account there is refused, or our name of the model is wrong: another provider's account and name may do.
const oursToMend: ReadonlySet<number> = new Set([401, 402, 403, 404]);
// A gateway that gives up says nothing about whether the model behind it works on.
const gatewayTimeouts: ReadonlySet<number> = new Set([504, 524]);

/**
 * Whether a failed attempt may be followed by one at another provider without the risk that both do the work, which
 * somebody would have to pay for: it never went out, or it was refused in so many words before anything came; or its provider is
 * one that cannot be read.
 */
export function mayFailOver(error: unknown, { wasSent, status, hasAnswered }: SentSoFar): boolean {
  if (hasAnswered || !(error instanceof AppError)) return false;
  if (!wasSent) return true;
  // It had only begun to take the request when its connection was closed. Of such a provider no answer is ever read, and the route
  // is left alone after a few: until then it may at most work for nobody.
  if (error instanceof UnaskedInterimError) return true;
  // Its words of TLS were over before it would have read any of the request.
  if (error instanceof RefusedHandshakeError) return true;
  // Silence after the request went out, a broken answer, a success that cannot be read: it may have been worked on.
  if (status === null || status < 300) return false;
  if (status === 429 || oursToMend.has(status) || error.code === 'provider_unavailable') return true;
  return status >= 500 && !gatewayTimeouts.has(status);
}
