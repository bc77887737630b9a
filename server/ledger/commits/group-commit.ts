import { setTimeout as sleep } from 'node:timers/promises';
import { isPassingConflict, isRowLocked } from '../../database/database-errors.js';
import type { Logger } from '../../kernel/logger.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import type { AsideLane } from './aside-lane.js';
import type { AwakeClock } from './awake-clock.js';
import type { OperationResult } from './decide-batch.js';
import { BatchFailure, type LedgerStore } from './ledger-store.js';
import { dropOverdue, type Queued, unavailable } from './queued-operation.js';

const queuedMax = 2_048;
const conflictAttemptsMax = 8;
const firstPauseMs = 50;
const longestPauseMs = 500;

export interface GroupCommitParts {
  readonly store: LedgerStore;
  /** Takes what cannot be committed together. */
  readonly aside: AsideLane;
  readonly clock: AwakeClock;
  readonly logger: Logger;
}

/**
 * Natural group commit: while one batch is being committed, whatever else arrives waits and forms the next one. No timer
 * and no tuning: alone, an operation is committed at once; in a crowd, hundreds share one commit.
 *
 * A batch that could not even begin waits for the database. One that lost a deadlock or its connection is run again as it is,
 * which is safe because every operation is known by its id. One that fails again, or for a row that somebody has locked, is
 * put aside as a whole, so that nobody behind it waits while it is sorted out.
 */
export class GroupCommit {
  #queue: Queued[] = [];
  #drain: Promise<void> | null = null;
  #isAway = false;

  constructor(private readonly parts: GroupCommitParts) {
    parts.clock.onTick((nowMs) => this.#rejectOverdueInQueue(nowMs));
  }

  /**
   * Commits one operation, durably, together with its neighbours.
   * @throws AppError `service_unavailable` when the queue is full or the database does not take it for `timeoutMs`, whatever
   *   the reason; `internal_error` when a constraint of the database refuses it for ever.
   */
  submit(operation: LedgerOperation, timeoutMs: number): Promise<OperationResult> {
    const { aside, clock } = this.parts;
    const isAside = aside.has(operation.input.accountId);
    if (isAside ? aside.isFull : this.#queue.length >= queuedMax) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      const deadlineMs = clock.awakeMs() + timeoutMs;
      const queued = { operation, deadlineMs, resolve, reject, isInDoubt: false, refusals: 0, isFollowUp: false };
      if (isAside) return aside.take([queued]);
      this.#queue.push(queued);
      this.#drain ??= this.#drainQueue();
    });
  }

  /** Operations that wait for a commit to begin. */
  get queuedCount(): number {
    return this.#queue.length;
  }

  /** Resolves when nothing is queued or under way. */
  async close(): Promise<void> {
    while (this.#drain) await this.#drain;
  }

  async #drainQueue(): Promise<void> {
    // Let everything that this turn of the event loop brings join the first batch.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const { aside, store } = this.parts;
      const batch = this.#queue.splice(0, store.operationsPerBatchMax);
      // Some of them may have been queued before their wallet was put aside.
      const belongsAside = ({ operation }: Queued) => aside.has(operation.input.accountId);
      const gone = batch.filter(belongsAside);
      if (gone.length > 0) aside.take(gone);
      await this.#commit(gone.length > 0 ? batch.filter((queued) => !gone.includes(queued)) : batch);
    }
    this.#drain = null;
  }

  async #commit(whole: readonly Queued[]): Promise<void> {
    let batch = whole;
    let conflicts = 0;
    let failures = 0;
    while (batch.length > 0) {
      const failure = await this.#tryOnce(batch);
      if (failure === null) return;
      if (failure.stage === 'in_doubt') for (const queued of batch) queued.isInDoubt = true;
      if (failure.stage === 'not_begun') {
        this.#noteAway(batch, failure);
        await sleep(Math.min(firstPauseMs * 2 ** Math.min(failures, 10), longestPauseMs));
        batch = this.#dropOverdue(batch, failure);
        failures += 1;
        continue;
      }
      if (isPassingConflict(failure.cause) && !isRowLocked(failure.cause) && conflicts < conflictAttemptsMax) {
        await sleep(Math.random() * 10 * 2 ** conflicts);
        conflicts += 1;
        continue;
      }
      // Once more as it is: a connection may have been lost by chance, and another lane or instance may have booked the same id
      // for another account, which no lock of ours covers; the second run finds it there.
      const isWorthRepeating = !isRowLocked(failure.cause) && conflicts === 0 && failures === 0;
      batch = this.#dropOverdue(batch, failure);
      if (!isWorthRepeating) return this.parts.aside.take(batch);
      failures += 1;
      await sleep(Math.random() * firstPauseMs);
    }
  }

  /** @returns why nothing was committed; null: everything was, or all but one whose companion refused it. */
  async #tryOnce(batch: readonly Queued[]): Promise<BatchFailure | null> {
    try {
      const outcome = await this.parts.store.commitBatch(batch.map(({ operation }) => operation));
      this.#noteBack();
      if (outcome.status === 'committed') {
        for (const [index, { resolve }] of batch.entries()) resolve(outcome.results[index] as OperationResult);
        return null;
      }
      batch[outcome.operationIndex]?.resolve({ status: 'refused', reason: 'companion_changed_nothing' });
      await this.#commit(batch.filter((_, index) => index !== outcome.operationIndex));
      return null;
    } catch (error) {
      return error instanceof BatchFailure ? error : new BatchFailure('in_doubt', error);
    }
  }

  // A hold among them that may have been committed is voided as soon as the database is back, so that nothing stays reserved
  // for a call that was turned away.
  #dropOverdue(batch: readonly Queued[], failure: BatchFailure): readonly Queued[] {
    const { rest, followUps } = dropOverdue(batch, this.parts.clock.awakeMs(), failure);
    if (followUps.length > 0) this.parts.aside.take(followUps);
    return rest;
  }

  // What waits in the queue was never sent to the database, so turning it away leaves nothing behind.
  #rejectOverdueInQueue(nowMs: number): void {
    if (this.#queue.length > 0) this.#queue = dropOverdue(this.#queue, nowMs).rest;
  }

  #noteAway(batch: readonly Queued[], { code }: BatchFailure): void {
    if (!this.#isAway) this.parts.logger.warn('ledger_database_away', { operations: batch.length, code });
    this.#isAway = true;
  }

  #noteBack(): void {
    if (this.#isAway) this.parts.logger.info('ledger_database_back');
    this.#isAway = false;
  }
}
