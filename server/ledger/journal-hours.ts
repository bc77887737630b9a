import { setImmediate as nextTurn } from 'node:timers/promises';
import { LessThan } from 'typeorm';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { type Millicredits, toMillicredits } from '../kernel/millicredits.js';
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
const timeoutMs = 5_000;

/**
 * The journal by days, for operators. Hours that are over are summed once and kept, so that a month is 744 rows at most, whatever was
 * moved in it; what is younger is summed as it is asked for, by its time.
 */
export class JournalHours {
  #summing: Promise<void> | null = null;

  /** @param clock The one by which the ledger writes its rows. */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * @param fromMs, toMs Both the beginning of a day in UTC, the second one exclusive.
   * @returns each day of the range that has begun, oldest first; the first one's opening is all that was before it.
   * @throws AppError `service_unavailable` while hours from before this release are still being summed.
   */
  async listDays(fromMs: number, toMs: number): Promise<readonly JournalDay[]> {
    await this.#waitUntilSummed();
    const last = await this.#findLastHour();
    const summedUntilMs = last === null ? 0 : last.hourMs + hourMs;
    const byDay = new Map<number, JournalSums>();
    for (const [day, sums] of [
      ...(await this.#sumHours(fromMs, Math.min(toMs, summedUntilMs))),
      ...(await this.#sumJournalDays(Math.max(fromMs, summedUntilMs), toMs)),
    ]) {
      byDay.set(day, addSums(byDay.get(day) ?? noSums, sums));
    }
    let closing = await this.#findOpening(fromMs, last);
    const days: JournalDay[] = [];
    for (let day = fromMs; day < Math.min(toMs, this.clock.nowMs()); day += dayMs) {
      const sums = byDay.get(day) ?? noSums;
      const opening = closing;
      closing = toMillicredits(opening + netOf(sums));
      days.push({ dayMs: day, opening, sums, closing });
    }
    return days;
  }

  /** As of now. @throws as `listDays`. */
  async findLiability(): Promise<Liability> {
    await this.#waitUntilSummed();
    const last = await this.#findLastHour();
    // Both in one statement, between whose parts no lease can end.
    const [row = {}] = await this.#query(
      `SELECT ${journalSumColumns}, (SELECT COALESCE(SUM(l.spent), 0) FROM ledger_hold h JOIN wallet_lease l ON l.id = h.id
         WHERE h.state = 'open') AS unbooked FROM ledger_transfer WHERE at_ms >= ?`,
      [last === null ? 0 : last.hourMs + hourMs],
    );
    const unbookedUse = toMillicredits(Number(row.unbooked));
    const journal = (last?.liabilityAfter ?? 0) + netOf(toSums(row));
    return { total: toMillicredits(journal - unbookedUse), unbookedUse };
  }

  /** Sums every hour that is over and has rows, oldest first. Several processes may do it at once. */
  async sumUp(): Promise<void> {
    for (;;) {
      const last = await this.#findLastHour();
      const fromMs = last === null ? 0 : last.hourMs + hourMs;
      const [next] = await this.#query('SELECT MIN(at_ms) AS at_ms FROM ledger_transfer WHERE at_ms >= ?', [fromMs]);
      if (next?.at_ms == null) return;
      const begin = Number(next.at_ms) - (Number(next.at_ms) % hourMs);
      if (begin + hourMs + settledMs > this.clock.nowMs()) return;
      const sums = await this.#sumJournal(begin, begin + hourMs);
      const liabilityAfter = toMillicredits((last?.liabilityAfter ?? 0) + netOf(sums));
      await this.#keep({ hourMs: begin, ...sums, liabilityAfter });
      await nextTurn();
    }
  }

  // After an upgrade there may be years to sum. That goes on while the answer is that it does.
  async #waitUntilSummed(): Promise<void> {
    this.#summing ??= this.sumUp().finally(() => {
      this.#summing = null;
    });
    this.#summing.catch(() => {});
    const timeout = AbortSignal.timeout(timeoutMs);
    const isLate = new Promise<true>((resolve) => timeout.addEventListener('abort', () => resolve(true)));
    if (!(await Promise.race([this.#summing, isLate]))) return;
    const words = 'The hours before this release are being summed, once. Ask again in a minute.';
    throw new AppError('service_unavailable', words, { retryAfterMs: 60_000 });
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
