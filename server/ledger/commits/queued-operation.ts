import { AppError } from '../../kernel/app-error.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import type { OperationResult } from './decide-batch.js';

/** An operation and who waits for it. */
export interface Queued {
  readonly operation: LedgerOperation;
  /** When its caller stops waiting, on an `AwakeClock`. */
  readonly deadlineMs: number;
  readonly resolve: (result: OperationResult) => void;
  readonly reject: (error: unknown) => void;
  /** A commit that it was part of may have succeeded although nobody heard so. */
  isInDoubt: boolean;
  /** How often a constraint has refused it, alone. */
  refusals: number;
  /** Undoes a hold whose caller was turned away; nobody waits for it. */
  readonly isFollowUp: boolean;
}

/** How long the undoing of a hold is tried. Its lease ends before that, so the sweeper gives it back in any case. */
const followUpMs = 3_600_000;

/** What undoes a hold, of which is not known whether it was committed. */
export function toVoid({ callId, accountId }: { callId: string; accountId: string }, nowMs: number): Queued {
  return {
    operation: { kind: 'void', input: { callId, accountId } },
    deadlineMs: nowMs + followUpMs,
    resolve: () => {},
    reject: () => {},
    isInDoubt: false,
    refusals: 0,
    isFollowUp: true,
  };
}

/**
 * Turns away whoever has waited long enough.
 * @returns the others, and what undoes the holds among those turned away that may have been committed.
 */
export function dropOverdue(
  queue: readonly Queued[],
  nowMs: number,
  cause?: unknown,
): { rest: Queued[]; followUps: Queued[] } {
  const rest: Queued[] = [];
  const followUps: Queued[] = [];
  for (const queued of queue) {
    if (queued.deadlineMs > nowMs) {
      rest.push(queued);
      continue;
    }
    queued.reject(queued.operation.kind === 'settle' && queued.isInDoubt ? inDoubt(cause) : unavailable(cause));
    if (queued.operation.kind === 'hold' && queued.isInDoubt) followUps.push(toVoid(queued.operation.input, nowMs));
  }
  return { rest, followUps };
}

/** What is answered when a settlement may have been committed and nobody can know, until the database has told. */
function inDoubt(cause?: unknown): AppError {
  const message = 'The ledger went away while it booked this call, and whether it has is not known yet.';
  return new AppError('settlement_in_doubt', message, { cause });
}

/** What is answered while the database does not take an operation, whatever the reason. */
export function unavailable(cause?: unknown): AppError {
  const message = 'The ledger cannot be reached right now; nothing was charged. Try again shortly.';
  return new AppError('service_unavailable', message, { retryAfterMs: 2_000, cause });
}
