import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import { monthAfter, monthOf } from '../kernel/spend-period.js';
import type { CostPeriod } from '../pricing/provider-cost.js';
import { AccountMonthReader, hasMoreRows, isRecentUseLong } from './account-months.js';
import { CostBook } from './cost-book.js';
import { readUse } from './read-use.js';
import { compareSums, TotalSum, type UsageTotal } from './total-sum.js';
import { dayMs, findTotalsMark } from './totals-hours.js';

export const usageTotalsBy = ['model', 'provider', 'account', 'day'] as const;
export type UsageTotalsBy = (typeof usageTotalsBy)[number];

export interface UsageTotals {
  readonly total: UsageTotal;
  /** The largest charges first; days in their order. */
  readonly groups: readonly UsageTotal[];
  /** How many groups there are beside those. */
  readonly otherGroups: number;
  /** null: all of it is there; else use until then. */
  readonly summedUntilMs: number | null;
}

export interface UsageTotalsParts {
  readonly unitOfWork: UnitOfWork;
  /** What routes cost in a range, in the order of time; the first period begins at or before it. */
  readonly listCosts: (range: UsageRange) => Promise<readonly CostPeriod[]>;
  /** Rows of hours that are not summed, for an answer that has them. Left out: 5,000. */
  readonly recentRowsMax?: number;
  /** Rows of accounts and hours that a division by account reads where there are no sums. Left out: 20,000. */
  readonly accountHoursMax?: number;
  /** Sums of accounts that are read at once. Left out: 500. */
  readonly accountsPerPage?: number;
}

export interface UsageRange {
  readonly fromMs: number;
  readonly toMs: number;
}

const namesMax = 200_000;
/** Rows of accounts and hours that a division by account reads where there are no sums: a fifth of a second. */
const usualAccountHoursMax = 20_000;
const summedAtOnceMs = 31 * dayMs;

/**
 * What all accounts used in a range, by the hour in which calls began, so calls at the edge of a day may be booked in the next one;
 * and what that cost, by the costs that were set for the hour. Hours that are summed (`TotalsSummer`) are read as sums, and what was
 * booked late of them beside; the others are read as they are, day by day, so that no statement is long. A division by account reads
 * sums where the range is one month. With much use in the last hours, which are not summed, the answer ends before them.
 */
export class UsageTotalsReader {
  readonly #months: AccountMonthReader;

  constructor(private readonly parts: UsageTotalsParts) {
    this.#months = new AccountMonthReader(parts.unitOfWork, parts.recentRowsMax, parts.accountsPerPage);
  }

  /**
   * @param range Both the beginning of a day in UTC, the second one exclusive; whoever asks bounds it.
   * @param first How many groups to answer at most.
   * @throws InvalidInputError when there are more than 200,000 groups, and for a division by account of another range than one month with
   *   more than 20,000 rows of use; AppError `service_unavailable` for such a month that is not summed yet.
   */
  async read(range: UsageRange, by: UsageTotalsBy, first: number): Promise<UsageTotals> {
    const costs = new CostBook(await this.parts.listCosts(range));
    if (by !== 'account') {
      const summedUntilMs = await this.#findEnd(range);
      const groups = await this.#sum({ ...range, toMs: summedUntilMs ?? range.toMs }, by, costs);
      return { ...toTotals(groups, by === 'day' ? 'name' : 'charged', first), summedUntilMs };
    }
    const isMonth = monthOf(range.fromMs) === range.fromMs && monthAfter(range.fromMs) === range.toMs;
    const accounts = isMonth ? await this.#months.read(range, costs, first) : null;
    if (accounts === null) await this.#requireFewHours(range, isMonth);
    if (accounts === null) return toTotals(await this.#sumHours(range, by, costs), 'charged', first);
    const known = { ...range, toMs: accounts.summedUntilMs ?? range.toMs };
    const { total } = toTotals(await this.#sum(known, 'day', costs), 'name', first);
    return { total, ...accounts };
  }

  /** Where an answer ends that would take too long with the last hours; null: it has them. */
  async #findEnd(range: UsageRange): Promise<number | null> {
    const { recentRowsMax: rowsMax, unitOfWork } = this.parts;
    const mark = await findTotalsMark(unitOfWork.reader);
    if (mark === null || !(await isRecentUseLong(unitOfWork.reader, range, { mark, rowsMax }))) return null;
    return Math.max(range.fromMs, mark.hourMs);
  }

  async #requireFewHours(range: UsageRange, isMonth: boolean): Promise<void> {
    const { accountHoursMax = usualAccountHoursMax, unitOfWork } = this.parts;
    if (!(await hasMoreRows(unitOfWork.reader, range, accountHoursMax))) return;
    if (!isMonth)
      throw new InvalidInputError('to', 'Ask for one whole month of UTC: only months are summed by account.');
    const words = 'The use of this month is being summed by account. Ask again in some minutes.';
    throw new AppError('service_unavailable', words, { retryAfterMs: 300_000 });
  }

  /** By sums as far as there are any. What is summed does not change, so no step of the summer is in the way, unless some were taken back. */
  async #sum(range: UsageRange, by: 'model' | 'provider' | 'day', costs: CostBook): Promise<Map<string, TotalSum>> {
    for (;;) {
      const before = await findTotalsMark(this.parts.unitOfWork.reader);
      const groups = await this.#sumUntil(before, range, by, costs);
      const after = await findTotalsMark(this.parts.unitOfWork.reader);
      if ((after?.hourMs ?? 0) >= (before?.hourMs ?? 0)) return groups;
    }
  }

  async #sumUntil(
    mark: { readonly hourMs: number } | null,
    range: UsageRange,
    by: 'model' | 'provider' | 'day',
    costs: CostBook,
  ): Promise<Map<string, TotalSum>> {
    const middleMs = Math.min(Math.max(range.fromMs, mark?.hourMs ?? 0), range.toMs);
    const summed = { fromMs: range.fromMs, toMs: middleMs };
    const groups = new Map<string, TotalSum>();
    for (const table of ['usage_total', 'usage_late'] as const) {
      for (const span of costs.divide(summed, summedAtOnceMs)) {
        await this.#addUse(groups, { table, span, by }, costs);
        await nextTurn();
      }
    }
    await this.#sumHours({ fromMs: middleMs, toMs: range.toMs }, by, costs, groups);
    return groups;
  }

  async #sumHours(
    range: UsageRange,
    by: UsageTotalsBy,
    costs: CostBook,
    groups = new Map<string, TotalSum>(),
  ): Promise<Map<string, TotalSum>> {
    for (const span of costs.divide(range, dayMs)) {
      await this.#addUse(groups, { table: 'usage_hour', span, by }, costs);
      if (groups.size > namesMax) throw new InvalidInputError('to', 'Ask for fewer days: there are too many groups.');
      await nextTurn();
    }
    return groups;
  }

  async #addUse(
    groups: Map<string, TotalSum>,
    { table, span, by }: { table: 'usage_total' | 'usage_late' | 'usage_hour'; span: UsageRange; by: UsageTotalsBy },
    costs: CostBook,
  ): Promise<void> {
    const columns = { model: [], provider: [], day: ['day'], account: ['account_id'] } as const;
    const period = costs.findAt(span.fromMs);
    for (const row of await readUse(this.parts.unitOfWork.reader, table, span, columns[by])) {
      const names = { model: row.model, provider: row.provider, account: row.accountId, day: row.day };
      const sum = groups.get(names[by]) ?? new TotalSum();
      sum.add(row, costs.find(period, row));
      groups.set(names[by], sum);
    }
  }
}

function toTotals(groups: ReadonlyMap<string, TotalSum>, order: 'name' | 'charged', first: number): UsageTotals {
  const total = new TotalSum();
  for (const sum of groups.values()) total.addSum(sum);
  const all = [...groups].map(([name, sum]) => sum.toTotal(name));
  if (order === 'name') all.sort((one, other) => (one.name < other.name ? -1 : 1));
  else all.sort((one, other) => compareSums(other.charged, one.charged));
  return {
    total: total.toTotal('total'),
    groups: all.slice(0, first),
    otherGroups: Math.max(0, all.length - first),
    summedUntilMs: null,
  };
}
