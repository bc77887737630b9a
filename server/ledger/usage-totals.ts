import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryByIndex } from '../database/query-by-index.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { InvalidInputError } from '../kernel/app-error.js';
import { dayMs } from './journal-hours.js';
import { UsageHourEntity } from './usage-hour.entity.js';

export const usageTotalsBy = ['model', 'provider', 'account', 'day'] as const;
export type UsageTotalsBy = (typeof usageTotalsBy)[number];

/** What all accounts used; money in millicredits. */
export interface UsageTotal {
  /** The model, the provider, the account's id, or the day as `2026-01-31`. */
  readonly name: string;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly charged: number;
  readonly absorbed: number;
}

export interface UsageTotals {
  readonly total: UsageTotal;
  /** The largest charges first; days in their order. */
  readonly groups: readonly UsageTotal[];
  /** How many groups there are beside those. */
  readonly otherGroups: number;
}

// As expressions: SQLite would otherwise read all days of the table in the order of accounts, by an index that has it.
const columnOf = {
  model: "COALESCE(u.model, '')",
  provider: "COALESCE(u.provider, '')",
  account: "COALESCE(u.accountId, '')",
} as const;
const namesMax = 200_000;

/**
 * What all accounts used in a range, out of the ledger's hours of use: by the hour in which calls began, so calls at the edge of a day
 * may be booked in the next one. Read day by day, so that no statement is long.
 */
export class UsageTotalsReader {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * @param range Both the beginning of a day in UTC, the second one exclusive; whoever asks bounds it.
   * @param first How many groups to answer at most.
   * @throws InvalidInputError when there are more than 200,000 groups.
   */
  async read(
    { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
    by: UsageTotalsBy,
    first: number,
  ): Promise<UsageTotals> {
    const groups = new Map<string, UsageTotal>();
    for (let day = fromMs; day < toMs; day += dayMs) {
      for (const row of await this.#readDay(day, by)) {
        const name = by === 'day' ? new Date(day).toISOString().slice(0, 10) : String(row.name);
        groups.set(name, add(groups.get(name), toTotal(name, row)));
      }
      if (groups.size > namesMax) throw new InvalidInputError('to', 'Ask for fewer days: there are too many groups.');
      await nextTurn();
    }
    const all = [...groups.values()];
    const ordered = by === 'day' ? all : all.sort((one, other) => other.charged - one.charged);
    const total = all.reduce<UsageTotal>(add, toTotal('total', {}));
    return { total, groups: ordered.slice(0, first), otherGroups: Math.max(0, all.length - first) };
  }

  async #readDay(day: number, by: UsageTotalsBy): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const query = this.unitOfWork.reader
      .getRepository(UsageHourEntity)
      .createQueryBuilder('u')
      .select('SUM(u.calls)', 'calls')
      .addSelect('SUM(u.promptTokens)', 'promptTokens')
      .addSelect('SUM(u.completionTokens)', 'completionTokens')
      .addSelect('SUM(u.chargedMillicredits)', 'charged')
      .addSelect('SUM(u.absorbedMillicredits)', 'absorbed')
      .where('u.hourMs >= :day AND u.hourMs < :next', { day, next: day + dayMs });
    if (by !== 'day') query.addSelect(columnOf[by], 'name').groupBy(columnOf[by]);
    const rows = await queryByIndex(query, 'ix_usage_hour_time');
    return rows.filter(({ calls }) => calls !== null);
  }
}

function toTotal(name: string, row: Readonly<Record<string, unknown>>): UsageTotal {
  const of = (column: string) => Number(row[column] ?? 0);
  const tokens = { promptTokens: of('promptTokens'), completionTokens: of('completionTokens') };
  return { name, calls: of('calls'), ...tokens, charged: of('charged'), absorbed: of('absorbed') };
}

function add(one: UsageTotal | undefined, other: UsageTotal): UsageTotal {
  if (one === undefined) return other;
  return {
    name: one.name,
    calls: one.calls + other.calls,
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    charged: one.charged + other.charged,
    absorbed: one.absorbed + other.absorbed,
  };
}
