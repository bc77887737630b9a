import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway, isPassingConflict, isUniqueViolation } from '../database/database-errors.js';
import { AppError } from '../kernel/app-error.js';
import type { Logger } from '../kernel/logger.js';
import type { OperationResult } from './decide-batch.js';
import type { LedgerOperation } from './ledger-rows.js';
import type { LedgerStore } from './ledger-store.js';

interface Queued {
  readonly operation: LedgerOperation;
  /** When its caller stops waiting, on the clock of `#awakeMs`. */
  readonly deadlineMs: number;
  readonly resolve: (result: OperationResult) => void;
  readonly reject: (error: unknown) => void;
}

const queuedMax = 2_048;
const conflictAttemptsMax = 8;
const lookEveryMs = 250;

/**
 * Natural group commit: while one batch is being committed, whatever else arrives waits and forms the next one. No timer
 * and no tuning: alone, an operation is committed at once; in a crowd, hundreds share one commit.
 *
 * Operations of a batch succeed or fail each on its own: a batch that the database refuses is split until the operation at
 * fault stands alone. Conflicts and lost connections are met by running the very same batch again, which is safe because
 * every operation is known by its id.
 */
export class GroupCommit {
  #queue: Queued[] = [];
  #drain: Promise<void> | null = null;
  readonly #overdueTimer: NodeJS.Timeout;
  #lookedAtMs = performance.now();
  #stoodStillMs = 0;

  constructor(
    private readonly store: LedgerStore,
    private readonly logger: Logger,
  ) {
    this.#overdueTimer = setInterval(() => this.#rejectOverdueInQueue(), lookEveryMs);
    this.#overdueTimer.unref();
  }

  /**
   * Commits one operation, durably, together with its neighbours.
   * @throws AppError `service_unavailable` when the queue is full or the database stays away for `patienceMs`.
   */
  submit(operation: LedgerOperation, patienceMs: number): Promise<OperationResult> {
    if (this.#queue.length >= queuedMax) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      this.#queue.push({ operation, deadlineMs: this.#awakeMs() + patienceMs, resolve, reject });
      this.#drain ??= this.#drainQueue();
    });
  }

  /** Resolves when nothing is queued or under way. */
  async close(): Promise<void> {
    while (this.#drain) await this.#drain;
    clearInterval(this.#overdueTimer);
  }

  async #drainQueue(): Promise<void> {
    // Let everything that this turn of the event loop brings join the first batch.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      await this.#commit(this.#queue.splice(0, this.store.operationsPerBatchMax));
    }
    this.#drain = null;
  }

  async #commit(batch: readonly Queued[], conflicts = 0): Promise<void> {
    if (batch.length === 0) return;
    try {
      const outcome = await this.store.commitBatch(batch.map(({ operation }) => operation));
      if (outcome.status === 'committed') {
        for (const [index, { resolve }] of batch.entries()) resolve(outcome.results[index] as OperationResult);
        return;
      }
      batch[outcome.operationIndex]?.resolve({ status: 'refused', reason: 'companion_changed_nothing' });
      await this.#commit(batch.filter((_, index) => index !== outcome.operationIndex));
    } catch (error) {
      await this.#recover(batch, error, conflicts);
    }
  }

  async #recover(batch: readonly Queued[], error: unknown, conflicts: number): Promise<void> {
    if (isDatabaseAway(error)) {
      this.logger.warn('ledger_database_away', { operations: batch.length, code: (error as { code?: string }).code });
      await sleep(50);
      await this.#commit(this.#dropOverdue(batch));
      return;
    }
    // Another lane or instance may have booked the same id for another account, which no lock of ours covers. The second run
    // finds it there; what is refused again is at fault itself.
    const isBookedMeanwhile = isUniqueViolation(error) && conflicts === 0;
    if (isBookedMeanwhile || (isPassingConflict(error) && conflicts < conflictAttemptsMax)) {
      await sleep(Math.random() * 10 * 2 ** conflicts);
      await this.#commit(batch, conflicts + 1);
      return;
    }
    const [first, ...others] = batch;
    if (others.length === 0) {
      this.logger.error('ledger_operation_refused', { operation: first?.operation.kind, error });
      first?.reject(
        new AppError('internal_error', 'The ledger refused this operation; nothing was booked.', { cause: error }),
      );
      return;
    }
    const middle = batch.length >> 1;
    await this.#commit(batch.slice(0, middle));
    await this.#commit(batch.slice(middle));
  }

  /**
   * A monotonic clock that stands still with this process. Where a machine was suspended, moved or starved for seconds, timers
   * run before the answers are read that came meanwhile; whoever waited then did not wait for the database.
   */
  #awakeMs(): number {
    const nowMs = performance.now();
    return nowMs - this.#stoodStillMs - Math.max(0, nowMs - this.#lookedAtMs - lookEveryMs);
  }

  // What waits in the queue was never sent to the database, so turning it away leaves nothing behind.
  #rejectOverdueInQueue(): void {
    const nowMs = this.#awakeMs();
    this.#lookedAtMs = performance.now();
    this.#stoodStillMs = this.#lookedAtMs - nowMs;
    if (this.#queue.length === 0) return;
    const overdue = this.#queue.filter(({ deadlineMs }) => deadlineMs <= nowMs);
    this.#queue = this.#queue.filter(({ deadlineMs }) => deadlineMs > nowMs);
    for (const { reject } of overdue) reject(unavailable());
  }

  // Whether an overdue operation was committed just before the connection went is not known. A hold among them is voided
  // as soon as the database is back, so that nothing stays reserved for a call that was turned away.
  #dropOverdue(batch: readonly Queued[]): Queued[] {
    const nowMs = this.#awakeMs();
    return batch.flatMap((queued) => {
      if (queued.deadlineMs > nowMs) return [queued];
      queued.reject(unavailable());
      return queued.operation.kind === 'hold' ? [toVoid(queued.operation.input)] : [];
    });
  }
}

function toVoid({ callId, accountId }: { callId: string; accountId: string }): Queued {
  return {
    operation: { kind: 'void', input: { callId, accountId } },
    deadlineMs: Number.POSITIVE_INFINITY,
    resolve: () => {},
    reject: () => {},
  };
}

function unavailable(): AppError {
  return new AppError(
    'service_unavailable',
    'The ledger cannot be reached right now; nothing was charged. Try again shortly.',
    {
      retryAfterMs: 2_000,
    },
  );
}
