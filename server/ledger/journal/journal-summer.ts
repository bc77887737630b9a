import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { MoreThan } from 'typeorm';
import { allowDuplicate } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { WallClock } from '../../kernel/clock.js';
import { RepeatedJob } from '../../kernel/jobs/repeated-job.js';
import { type Logger, silentLogger } from '../../kernel/logger.js';
import { LedgerHourEntity } from '../tables/ledger-hour.entity.js';
import { holdLastHour, hourMs, JournalRows, type LastHour } from './journal-rows.js';
import { addSums, type JournalSums, netOf, noSums } from './journal-sums.js';

/** A row is written with the time of its transaction, which ends long before this; clocks differ by less, too. */
const settledMs = 15 * 60_000;
/** For which whoever asks sums hours. */
const askedMs = 1_000;
const intervalMs = 600_000;
/** Beside the calls: so many times what a part of an hour took. */
const restPerPart = 2;
const usualPartRowsMax = 2_000;
const partsPerHour = 60;

export interface JournalSummerOptions {
  readonly logger?: Pick<Logger, 'error'>;
  /** An hour with more rows is summed in parts, so that no statement is long: a process on SQLite does nothing else meanwhile. Left out: 2,000. */
  readonly partRowsMax?: number;
  /** The time by which the ledger writes its rows. Left out: that of the clock. */
  readonly findNowMs?: () => Promise<number>;
}

/**
 * Sums each hour of the journal that is over, once. A server does so by itself, so that nobody has to wait for the years from before an
 * upgrade; whoever reads the journal may ask for it, too.
 */
export class JournalSummer {
  #asked: Promise<boolean> | null = null;
  readonly #rows: JournalRows;
  readonly #partRowsMax: number;
  readonly #findNowMs: () => Promise<number>;
  /** Begins within five minutes, not with all other processes at once, and looks again every ten. */
  readonly job: RepeatedJob;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: WallClock,
    {
      logger = silentLogger,
      partRowsMax = usualPartRowsMax,
      findNowMs = async () => clock.nowMs(),
    }: JournalSummerOptions = {},
  ) {
    this.#findNowMs = findNowMs;
    this.#partRowsMax = partRowsMax;
    this.#rows = new JournalRows(unitOfWork);
    this.job = new RepeatedJob({
      run: (signal) => this.sumUp({ signal, rest: restPerPart }),
      intervalMs,
      onFailure: (error) => logger.error('journal_not_summed', { error }),
    });
  }

  /**
   * Sums every hour that is over and has rows, oldest first. Several processes may do it at once.
   * @param signal Ends it behind the hour under way. @param rest How many times as long as a part of an hour took is rested after it.
   * @returns whether all is summed.
   */
  async sumUp({ signal, rest = 0 }: { readonly signal?: AbortSignal; readonly rest?: number } = {}): Promise<boolean> {
    for (;;) {
      if (signal?.aborted) return false;
      const { last, untilMs } = await this.#rows.findSummed();
      const overMs = (await this.#findNowMs()) - hourMs - settledMs;
      if (last !== null && last.hourMs > overMs) {
        await this.#removeAfter(overMs);
        continue;
      }
      const nextMs = await this.#rows.findFirstMs(untilMs);
      if (nextMs === null) break;
      const begin = nextMs - (nextMs % hourMs);
      // An instance whose clock is ahead must not take an hour for over that others still write into.
      if (begin > overMs) break;
      const sums = await this.#sumHour(begin, rest);
      const liabilityAfter = (last?.liabilityAfter ?? 0n) + netOf(sums);
      await this.#keep({ hourMs: begin, ...sums, liabilityAfter }, last);
    }
    this.job.noteDone(this.clock.nowMs());
    return true;
  }

  /**
   * Sums for a second and to the end of the hour under way; the rest is the job's, and theirs who ask later. Who asks meanwhile shares it.
   * @returns whether all is summed.
   */
  sumForAWhile(): Promise<boolean> {
    this.#asked ??= this.sumUp({ signal: AbortSignal.timeout(askedMs) }).finally(() => {
      this.#asked = null;
    });
    return this.#asked;
  }

  async #sumHour(begin: number, rest: number): Promise<JournalSums> {
    const isLong = await this.#rows.hasMore({ fromMs: begin, toMs: begin + hourMs }, this.#partRowsMax);
    const partMs = isLong ? hourMs / partsPerHour : hourMs;
    let sums = noSums;
    for (let fromMs = begin; fromMs < begin + hourMs; fromMs += partMs) {
      const startedMs = performance.now();
      sums = addSums(sums, await this.#rows.sum({ fromMs, toMs: fromMs + partMs }));
      await (rest === 0 ? nextTurn() : sleep((performance.now() - startedMs) * rest));
    }
    return sums;
  }

  /**
   * Of hours that are yet to end: the clock was ahead, and is set back. Whoever writes rows in them removes their sums himself
   * (`findHourToSumAgain`), but does not see those that are being written at this very moment; the next round does.
   */
  async #removeAfter(overMs: number): Promise<void> {
    await this.unitOfWork.transactForServer((transaction) =>
      transaction.delete(LedgerHourEntity, { hourMs: MoreThan(overMs) }),
    );
  }

  /** Unless the hour that it rests on is no longer the last one: sums that were found wrong are taken back from there. */
  async #keep(hour: LedgerHourEntity, before: LastHour | null): Promise<void> {
    // Another process may be quicker, and has summed the same rows.
    await allowDuplicate(
      this.unitOfWork.transactForServer(async (transaction) => {
        const last = await holdLastHour(transaction);
        const isStillLast = last?.hourMs === before?.hourMs && last?.liabilityAfter === before?.liabilityAfter;
        if (isStillLast) await transaction.insert(LedgerHourEntity, hour);
      }),
    );
  }
}
