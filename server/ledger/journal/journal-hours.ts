import { setTimeout as sleep } from 'node:timers/promises';
import { readSum, sumAsText } from '../../database/exact-sums.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { WallClock } from '../../kernel/clock.js';
import { dayMs, hourMs, JournalRows, type Summed, unbookedColumn } from './journal-rows.js';
import { JournalSummer } from './journal-summer.js';
import { addSums, type JournalSums, journalSumColumns, netOf, noSums, toSums } from './journal-sums.js';

/** One day of the journal, in UTC; in millicredits. */
export interface JournalDay {
  readonly dayMs: number;
  readonly opening: bigint;
  readonly sums: JournalSums;
  /** `opening` and what the sums add to it, to the millicredit. */
  readonly closing: bigint;
}

/** Days of the journal, as far as they are known. */
export interface JournalDays {
  /** What all wallets had when the range began; with nothing of it known, at `summedUntilMs`. */
  readonly opening: bigint;
  /** Those that have begun and are known, oldest first; the last one up to `summedUntilMs`. */
  readonly days: readonly JournalDay[];
  /** null: all of it is there; else up to this time, since which too much was moved to be read while somebody waits. */
  readonly summedUntilMs: number | null;
}

/** What customers have been sold or given, and have not used. */
export interface Liability {
  /** Unspent credits of all wallets, less what debts come to. */
  readonly total: bigint;
  /** Of charges, what is booked against leases now and stands in the journal once they end; a `total` of now is without it. */
  readonly unbookedUse: bigint;
  /** null: `total` is of now; else it is what the journal came to at this time. */
  readonly summedUntilMs: number | null;
}

export interface JournalHoursOptions {
  /** Rows of the journal in hours that are not summed, for an answer that has them. Left out: 5,000 on SQLite, 1,000 on MySQL and MariaDB. */
  readonly recentRowsMax?: number;
  /** The time by which the ledger writes its rows. Left out: that of the clock. */
  readonly findNowMs?: () => Promise<number>;
}

interface Standing extends Summed {
  /** Whether an answer has what is younger, too. */
  readonly isRestRead: boolean;
}

/** A tenth of a second, and a fifth: on MySQL and MariaDB rows lie by wallet, so each is likely to be read from the disk by itself. */
const usualRecentRowsMax = { sqlite: 5_000, mysql: 1_000 };
/** For hours to be summed, before an answer that may be without them. */
const waitMs = 100;
/** With older sums than these, what is owed is asked of the wallets. */
const recentMs = 6 * hourMs;

/**
 * The journal by days, for operators. Hours that are over are summed once and kept (`JournalSummer`), so that a month is 744 rows at
 * most, whatever was moved in it; what is younger is summed as it is asked for, by its time. Where that is much, an answer ends at the
 * last hour that is summed, and says so. It changes nothing but those sums.
 */
export class JournalHours {
  readonly #rows: JournalRows;
  readonly #summer: JournalSummer;
  readonly #recentRowsMax: number;

  constructor(
    unitOfWork: UnitOfWork,
    private readonly clock: WallClock,
    { recentRowsMax, findNowMs = async () => clock.nowMs() }: JournalHoursOptions = {},
  ) {
    this.#rows = new JournalRows(unitOfWork);
    this.#summer = new JournalSummer(unitOfWork, clock, { findNowMs });
    const isMysql = unitOfWork.reader.connection.options.type === 'mysql';
    this.#recentRowsMax = recentRowsMax ?? usualRecentRowsMax[isMysql ? 'mysql' : 'sqlite'];
  }

  /**
   * For an answer at once: with more rows behind the last hour that is summed than are read in a fifth of a second it ends there.
   * @param fromMs, toMs Both the beginning of a day in UTC, the second one exclusive.
   * @returns each day of the range that has begun, oldest first; the first one's opening is all that was before it.
   */
  async listDays(fromMs: number, toMs: number): Promise<JournalDays> {
    return this.#listDays(fromMs, toMs, await this.#findStanding(toMs));
  }

  /**
   * As `listDays`, but with all of the range, whatever has to be read for it: some seconds on a busy server. It ends early only while
   * more hours are over and not summed than a second is enough for, as after an upgrade.
   */
  async listWholeDays(fromMs: number, toMs: number): Promise<JournalDays> {
    const isRestRead = await this.#summer.sumForAWhile();
    return this.#listDays(fromMs, toMs, { ...(await this.#rows.findSummed()), isRestRead });
  }

  /**
   * What is owed, at once: of now, or with as many rows behind the last hour that is summed of the end of that hour. While the
   * years before an upgrade are being summed, the wallets are asked, which come to the same as the journal.
   */
  async findLiability(): Promise<Liability> {
    const { last, untilMs, isRestRead } = await this.#findStanding(Number.MAX_SAFE_INTEGER);
    if (!isRestRead && last !== null && untilMs > this.clock.nowMs() - recentMs) {
      const [row = {}] = await this.#rows.query(`SELECT ${unbookedColumn}`, []);
      return { total: last.liabilityAfter, unbookedUse: readSum(row.unbooked), summedUntilMs: untilMs };
    }
    // Both in one statement, between whose parts no lease can end.
    const [row = {}] = isRestRead
      ? await this.#rows.query(
          `SELECT ${journalSumColumns}, ${unbookedColumn} FROM ${this.#rows.byTime} WHERE at_ms >= ?`,
          [untilMs],
        )
      : await this.#rows.query(
          `SELECT ${sumAsText('credits_posted - debits_posted')} AS posted, ${unbookedColumn} FROM ledger_account WHERE kind = 'wallet'`,
          [],
        );
    const unbookedUse = readSum(row.unbooked);
    const booked = isRestRead ? (last?.liabilityAfter ?? 0n) + netOf(toSums(row)) : readSum(row.posted);
    return { total: booked - unbookedUse, unbookedUse, summedUntilMs: null };
  }

  async #listDays(
    fromMs: number,
    toMs: number,
    { last, untilMs: summedUntilMs, isRestRead }: Standing,
  ): Promise<JournalDays> {
    const knownUntilMs = isRestRead ? toMs : Math.min(toMs, summedUntilMs);
    const byDay = new Map<number, JournalSums>();
    for (const [day, sums] of [
      ...(await this.#rows.sumHours({ fromMs, toMs: Math.min(toMs, summedUntilMs) })),
      ...(isRestRead ? await this.#rows.sumDays({ fromMs: Math.max(fromMs, summedUntilMs), toMs }) : []),
    ]) {
      byDay.set(day, addSums(byDay.get(day) ?? noSums, sums));
    }
    const opening = await this.#findOpening(isRestRead ? fromMs : Math.min(fromMs, summedUntilMs), {
      last,
      untilMs: summedUntilMs,
    });
    const days = this.#chainDays({ fromMs, toMs: knownUntilMs }, opening, byDay);
    return { opening, days, summedUntilMs: knownUntilMs === toMs ? null : summedUntilMs };
  }

  #chainDays(
    { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
    openingOfAll: bigint,
    byDay: ReadonlyMap<number, JournalSums>,
  ): readonly JournalDay[] {
    let closing = openingOfAll;
    const days: JournalDay[] = [];
    for (let day = fromMs; day < Math.min(toMs, this.clock.nowMs()); day += dayMs) {
      const sums = byDay.get(day) ?? noSums;
      const opening = closing;
      closing = opening + netOf(sums);
      days.push({ dayMs: day, opening, sums, closing });
    }
    return days;
  }

  /** Hours are summed only where there is much to read beside; what is not done in a moment goes on behind the answer. */
  async #findStanding(toMs: number): Promise<Standing> {
    const before = await this.#rows.findSummed();
    if (!(await this.#isLong(before.untilMs, toMs))) return { ...before, isRestRead: true };
    await Promise.race([this.#summer.sumForAWhile(), sleep(waitMs, undefined, { ref: false })]);
    const after = await this.#rows.findSummed();
    return { ...after, isRestRead: !(await this.#isLong(after.untilMs, toMs)) };
  }

  #isLong(fromMs: number, toMs: number): Promise<boolean> {
    return this.#rows.hasMore({ fromMs, toMs }, this.#recentRowsMax);
  }

  async #findOpening(fromMs: number, { last, untilMs }: Summed): Promise<bigint> {
    if (fromMs < untilMs) return (await this.#rows.findLastHour(fromMs))?.liabilityAfter ?? 0n;
    const since = netOf(await this.#rows.sum({ fromMs: untilMs, toMs: fromMs }));
    return (last?.liabilityAfter ?? 0n) + since;
  }
}
