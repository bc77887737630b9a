import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { LessThan } from 'typeorm';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { type Logger, silentLogger } from '../kernel/logger.js';
import { type Millicredits, toMillicredits } from '../kernel/millicredits.js';
import { RepeatedJob } from '../kernel/repeated-job.js';
import { addSums, type JournalSums, journalSumColumns, netOf, noSums, toSums } from './journal-sums.js';
import { LedgerHourEntity } from './ledger-hour.entity.js';

/** One day of the journal, in UTC. */
export interface JournalDay {
  readonly dayMs: number;
  readonly opening: Millicredits;
  readonly sums: JournalSums;
  /** `opening` and what the sums add to it, to the millicredit. */
  readonly closing: Millicredits;
}

/** Days of the journal, as far as they are known. */
export interface JournalDays {
  /** What all wallets had when the range began; with no day of it known, at `summedUntilMs`. */
  readonly opening: Millicredits;
  /** Those that have begun and are known, oldest first. */
  readonly days: readonly JournalDay[];
  /** null: all days are there; else hours from before this release are still being summed, and have come to here. */
  readonly summedUntilMs: number | null;
}

/** What customers have been sold or given, and have not used. */
export interface Liability {
  /** Unspent credits of all wallets, less what debts come to. */
  readonly total: Millicredits;
  /** Of charges, what is booked against leases and stands in the journal once they end; `total` is without it. */
  readonly unbookedUse: Millicredits;
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
/** A row is written with the time of its transaction, which ends long before this; clocks differ by less, too. */
const settledMs = 15 * 60_000;
const unbooked = `(SELECT COALESCE(SUM(l.spent), 0) FROM ledger_hold h JOIN wallet_lease l ON l.id = h.id WHERE h.state = 'open') AS unbooked`;
/** Usually there is an hour to sum at most, which takes no time. */
const waitMs = 1_000;
const intervalMs = 600_000;
/** Beside the calls: so many times what an hour took. */
const restPerHour = 2;

/**
 * The journal by days, for operators. Hours that are over are summed once and kept, so that a month is 744 rows at most, whatever was
 * moved in it; what is younger is summed as it is asked for, by its time. A server sums by itself, too, so that nobody has to wait for
 * the years from before an upgrade.
 */
export class JournalHours {
  #summing: Promise<boolean> | null = null;
  #lastDoneAtMs: number | null = null;
  readonly #job: RepeatedJob;

  /** @param clock The one by which the ledger writes its rows. */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    logger: Pick<Logger, 'error'> = silentLogger,
  ) {
    this.#job = new RepeatedJob({
      run: (signal) => this.sumUp({ signal, rest: restPerHour }),
      intervalMs,
      onFailure: (error) => logger.error('journal_not_summed', { error }),
    });
  }

  /** When this process last summed everything that was over by itself. */
  get lastDoneAtMs(): number | null {
    return this.#lastDoneAtMs;
  }

  /** Begins within five minutes, not with all other processes at once, and looks again every ten. */
  start(): void {
    this.#job.start();
  }

  /** Lets the hour under way be summed, for five seconds at most. */
  close(): Promise<void> {
    return this.#job.close();
  }

  /**
   * @param fromMs, toMs Both the beginning of a day in UTC, the second one exclusive.
   * @returns each day of the range that has begun, oldest first; the first one's opening is all that was before it. While hours from
   * before this release are being summed, for which nobody waits longer than a second: whole days that are.
   */
  async listDays(fromMs: number, toMs: number): Promise<JournalDays> {
    const isSummed = await this.#sumInTime();
    const last = await this.#findLastHour();
    const summedUntilMs = last === null ? 0 : last.hourMs + hourMs;
    const knownUntilMs = isSummed ? toMs : Math.min(toMs, summedUntilMs - (summedUntilMs % dayMs));
    const byDay = new Map<number, JournalSums>();
    for (const [day, sums] of [
      ...(await this.#sumHours(fromMs, Math.min(knownUntilMs, summedUntilMs))),
      ...(isSummed ? await this.#sumJournalDays(Math.max(fromMs, summedUntilMs), toMs) : []),
    ]) {
      byDay.set(day, addSums(byDay.get(day) ?? noSums, sums));
    }
    const opening = await this.#findOpening(isSummed ? fromMs : Math.min(fromMs, summedUntilMs), last);
    const days = this.#chainDays({ fromMs, toMs: knownUntilMs }, opening, byDay);
    return { opening, days, summedUntilMs: knownUntilMs === toMs ? null : summedUntilMs };
  }

  #chainDays(
    { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
    openingOfAll: Millicredits,
    byDay: ReadonlyMap<number, JournalSums>,
  ): readonly JournalDay[] {
    let closing = openingOfAll;
    const days: JournalDay[] = [];
    for (let day = fromMs; day < Math.min(toMs, this.clock.nowMs()); day += dayMs) {
      const sums = byDay.get(day) ?? noSums;
      const opening = closing;
      closing = toMillicredits(opening + netOf(sums));
      days.push({ dayMs: day, opening, sums, closing });
    }
    return days;
  }

  /** As of now: by the journal, or while hours of it are being summed by the wallets, which come to the same. */
  async findLiability(): Promise<Liability> {
    const isSummed = await this.#sumInTime();
    const last = isSummed ? await this.#findLastHour() : null;
    // Both in one statement, between whose parts no lease can end.
    const [row = {}] = isSummed
      ? await this.#query(`SELECT ${journalSumColumns}, ${unbooked} FROM ledger_transfer WHERE at_ms >= ?`, [
          last === null ? 0 : last.hourMs + hourMs,
        ])
      : await this.#query(
          `SELECT SUM(credits_posted - debits_posted) AS posted, ${unbooked} FROM ledger_account WHERE kind = 'wallet'`,
          [],
        );
    const unbookedUse = toMillicredits(Number(row.unbooked));
    const booked = isSummed ? (last?.liabilityAfter ?? 0) + netOf(toSums(row)) : Number(row.posted ?? 0);
    return { total: toMillicredits(booked - unbookedUse), unbookedUse };
  }

  /**
   * Sums every hour that is over and has rows, oldest first. Several processes may do it at once.
   * @param signal Ends it behind the hour under way. @param rest How many times as long as an hour took is rested after it.
   * @returns whether all is summed.
   */
  async sumUp({ signal, rest = 0 }: { readonly signal?: AbortSignal; readonly rest?: number } = {}): Promise<boolean> {
    for (;;) {
      if (signal?.aborted) return false;
      const startedMs = performance.now();
      const last = await this.#findLastHour();
      const fromMs = last === null ? 0 : last.hourMs + hourMs;
      const [next] = await this.#query('SELECT MIN(at_ms) AS at_ms FROM ledger_transfer WHERE at_ms >= ?', [fromMs]);
      if (next?.at_ms == null) break;
      const begin = Number(next.at_ms) - (Number(next.at_ms) % hourMs);
      if (begin + hourMs + settledMs > this.clock.nowMs()) break;
      const sums = await this.#sumJournal(begin, begin + hourMs);
      const liabilityAfter = toMillicredits((last?.liabilityAfter ?? 0) + netOf(sums));
      await this.#keep({ hourMs: begin, ...sums, liabilityAfter });
      await (rest === 0 ? nextTurn() : sleep((performance.now() - startedMs) * rest));
    }
    this.#lastDoneAtMs = this.clock.nowMs();
    return true;
  }

  /**
   * After an upgrade there may be years to sum: whoever asks sums for a second, and is then answered without anything beside; the rest is
   * the job's, and theirs who ask later. @returns whether all is summed.
   */
  #sumInTime(): Promise<boolean> {
    this.#summing ??= this.sumUp({ signal: AbortSignal.timeout(waitMs) }).finally(() => {
      this.#summing = null;
    });
    return this.#summing;
  }

  async #keep(hour: LedgerHourEntity): Promise<void> {
    try {
      await this.unitOfWork.transact((transaction) => transaction.insert(LedgerHourEntity, hour));
    } catch (error) {
      // Another process was quicker, and has summed the same rows.
      if (!isUniqueViolation(error)) throw error;
    }
  }

  async #findLastHour(beforeMs = Number.MAX_SAFE_INTEGER): Promise<LedgerHourEntity | null> {
    const [hour] = await this.unitOfWork.reader.find(LedgerHourEntity, {
      ...(beforeMs === Number.MAX_SAFE_INTEGER ? {} : { where: { hourMs: LessThan(beforeMs) } }),
      order: { hourMs: 'DESC' },
      take: 1,
    });
    return hour ?? null;
  }

  async #findOpening(fromMs: number, last: LedgerHourEntity | null): Promise<Millicredits> {
    const summedUntilMs = last === null ? 0 : last.hourMs + hourMs;
    if (fromMs < summedUntilMs) return toMillicredits((await this.#findLastHour(fromMs))?.liabilityAfter ?? 0);
    const since = netOf(await this.#sumJournal(summedUntilMs, fromMs));
    return toMillicredits((last?.liabilityAfter ?? 0) + since);
  }

  async #sumHours(fromMs: number, toMs: number): Promise<[number, JournalSums][]> {
    const { metadata } = this.unitOfWork.reader.getRepository(LedgerHourEntity);
    const sums = metadata.columns
      .filter(({ propertyName }) => propertyName in noSums)
      .map(({ propertyName, databaseName }) => `SUM(${databaseName}) AS ${propertyName}`)
      .join(', ');
    const rows = await this.#query(
      `SELECT hour_ms - hour_ms % ${dayMs} AS day, ${sums} FROM ledger_hour WHERE hour_ms >= ? AND hour_ms < ? GROUP BY day`,
      [fromMs, toMs],
    );
    return rows.map((row) => [Number(row.day), toSums(row)]);
  }

  async #sumJournalDays(fromMs: number, toMs: number): Promise<[number, JournalSums][]> {
    const rows = await this.#query(
      `SELECT at_ms - at_ms % ${dayMs} AS day, ${journalSumColumns} FROM ledger_transfer WHERE at_ms >= ? AND at_ms < ? GROUP BY day`,
      [fromMs, toMs],
    );
    return rows.map((row) => [Number(row.day), toSums(row)]);
  }

  async #sumJournal(fromMs: number, toMs: number): Promise<JournalSums> {
    const [row = {}] = await this.#query(
      `SELECT ${journalSumColumns} FROM ledger_transfer WHERE at_ms >= ? AND at_ms < ?`,
      [fromMs, toMs],
    );
    return toSums(row);
  }

  #query(sql: string, values: readonly number[]): Promise<Readonly<Record<string, unknown>>[]> {
    return this.unitOfWork.reader.query(sql, [...values]);
  }
}
