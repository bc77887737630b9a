import { setTimeout as sleep } from 'node:timers/promises';
import { And, LessThan, MoreThan } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { WallClock } from '../../kernel/clock.js';
import { leastIdAt } from '../../kernel/ids.js';
import { RepeatedJob } from '../../kernel/jobs/repeated-job.js';
import type { Logger } from '../../kernel/logger.js';
import { CallRecordEntity } from '../tables/call-record.entity.js';
import { findRetentionEnd } from './retention-rules.js';
import { columnsToSum, SealedElsewhereError, sealReceipts, sumReceiptsToSeal } from './seal-receipts.js';

/** An id is made when its call arrives, on the same machine; a minute is more than a clock that is set right jumps by. */
const clockJumpMs = 60_000;
const intervalMs = 3_600_000;
/** So far behind is the proven time of a ledger that is in use. */
const usualLagMs = 2 * 86_400_000;
/** Receipts of a step, as many as are removed in about so long; a step is followed by so many times its own length in which nothing is done. */
const paces = {
  /** Others wait while a step writes, since SQLite has one writer: little at a time, and long rests. */
  oneWriter: { min: 50, first: 50, max: 200, wantedMs: 6, restPerStep: 9 },
  /** Nobody waits for a row of it, but for a server that is busy with it. */
  rowLocks: { min: 50, first: 50, max: 500, wantedMs: 10, restPerStep: 9 },
};

export interface CallRetentionParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: WallClock;
  /** The time now, and one that has surely come, as `ProvenTime` reads them; receipts are as old as the second says. */
  readonly findTime: () => Promise<{ readonly nowMs: number; readonly provenMs: number }>;
  readonly logger: Logger;
  /** For how many days at least receipts are kept; null: for ever. Asked before each step. */
  readonly findDays: () => Promise<number | null>;
  /** Is given receipts before they are removed, and keeps them durably; a rejection keeps them where they are. null: nobody wants them. */
  readonly keep: ((receipts: readonly CallRecordEntity[]) => Promise<void>) | null;
  /** Whether everybody else waits while a step writes, as on SQLite. */
  readonly isOneWriter: boolean;
  /** Of some receipts, the ids of calls that somebody else still wants to show; they stay. */
  readonly findNeeded: (
    receipts: readonly Pick<CallRecordEntity, 'callId' | 'accountId'>[],
  ) => Promise<ReadonlySet<string>>;
}

/**
 * Removes the receipts of old calls, month by month, and leaves the sums of each account and month in their place. No journal row, no
 * hold and no hour of use is touched, and balances are not. Each step is one transaction of some milliseconds, so that it may be cut
 * off anywhere and begun again; several processes may do it at once. A clock that jumps forward removes nothing before it has stood by
 * that for a day, which the operator is told of.
 */
export class CallRetention {
  /** Looks within five minutes, not with all other processes at once, and then each hour. */
  readonly job: RepeatedJob;

  constructor(private readonly parts: CallRetentionParts) {
    this.job = new RepeatedJob({
      run: (signal) => this.sealDue(signal),
      intervalMs,
      onFailure: (error) => parts.logger.error('receipts_not_sealed', { error }),
    });
  }

  /**
   * Seals all that is past its time.
   * @returns how many receipts were removed.
   * @throws the database's error, or that of who keeps them; what was done until then stands.
   */
  async sealDue(signal?: AbortSignal): Promise<number> {
    const { clock, logger, findDays, findTime, isOneWriter } = this.parts;
    let afterId = '';
    const pace = isOneWriter ? paces.oneWriter : paces.rowLocks;
    let size = pace.first;
    let sealed = 0;
    let untilMs = 0;
    let isWaiting = false;
    while (!signal?.aborted) {
      const days = await findDays();
      if (days === null) break;
      const { nowMs, provenMs } = await findTime();
      untilMs = findRetentionEnd(provenMs, days);
      isWaiting = nowMs - provenMs > usualLagMs && untilMs < findRetentionEnd(nowMs, days);
      const startedMs = performance.now();
      const step = await this.#step(afterId, { untilMs, size });
      const tookMs = performance.now() - startedMs;
      sealed += step.sealed;
      if (step.lastId === null) break;
      afterId = step.lastId;
      size = Math.round(tookMs > pace.wantedMs ? Math.max(pace.min, size / 2) : Math.min(pace.max, size * 1.5));
      if (isOneWriter) await this.#writeBack();
      await sleep(tookMs * pace.restPerStep);
    }
    if (sealed > 0) logger.info('receipts_sealed', { calls: sealed, before: new Date(untilMs).toISOString() });
    // What is due by the clock stays: nobody has seen that so much time has passed.
    if (isWaiting) logger.warn('receipts_wait_for_clock', { keptFrom: new Date(untilMs).toISOString() });
    else if (!signal?.aborted) this.job.noteDone(clock.nowMs());
    return sealed;
  }

  /**
   * Takes over what the step has written from SQLite's log into the file, while others write on. Otherwise the log fills with
   * pages from all over the file, and whoever fills it up waits until a thousand of them are written.
   */
  async #writeBack(): Promise<void> {
    // Refused within a transaction of somebody else on this connection; the next step takes it along.
    await this.parts.unitOfWork.reader.query('PRAGMA wal_checkpoint(PASSIVE)').catch(() => {});
  }

  /** @returns the last id that was looked at; null: there are no more. */
  async #step(afterId: string, { untilMs, size }: { untilMs: number; size: number }) {
    const { unitOfWork, keep, findNeeded } = this.parts;
    const found = await unitOfWork.reader.find(CallRecordEntity, {
      ...(keep === null && { select: columnsToSum }),
      where: { callId: And(MoreThan(afterId), LessThan(leastIdAt('call', untilMs + clockJumpMs))) },
      order: { callId: 'ASC' },
      take: size,
    });
    const lastId = found.length < size ? null : (found.at(-1)?.callId ?? null);
    const old = found.filter(({ startedAtMs }) => startedAtMs < untilMs);
    if (old.length === 0) return { lastId, sealed: 0 };
    const needed = await findNeeded(old);
    const due = await sumReceiptsToSeal(
      unitOfWork.reader,
      old.filter(({ callId }) => !needed.has(callId)),
    );
    if (due.receipts.length === 0) return { lastId, sealed: 0 };
    await keep?.(due.receipts);
    try {
      await unitOfWork.transactForServer((transaction) => sealReceipts(transaction, due));
    } catch (error) {
      if (!(error instanceof SealedElsewhereError)) throw error;
      return { lastId, sealed: 0 };
    }
    return { lastId, sealed: due.receipts.length };
  }
}
