import type { UnitOfWork } from '../../database/unit-of-work.js';
import { type SpendPeriod, spanAt } from '../../kernel/spend-period.js';

/** Millicredits that the calls of a key were charged which began in the running day, week and month. */
export type KeySpend = Readonly<Record<SpendPeriod, number>>;

/** Reads what keys have spent, for people and programs to look at; limits are kept by the ledger's own counters. */
export class KeySpendReader {
  constructor(private readonly unitOfWork: Pick<UnitOfWork, 'reader'>) {}

  /** By key; one that has spent nothing is not among them. Reads the hours of use of at most 37 days. */
  async sumKeySpend(accountId: string, nowMs: number): Promise<ReadonlyMap<string, KeySpend>> {
    const [day, week, month] = (['day', 'week', 'month'] as const).map((period) => spanAt(period, nowMs).startsAtMs);
    const since = (startMs: number | undefined) =>
      `SUM(CASE WHEN hour_ms >= ${Number(startMs)} THEN charged_millicredits ELSE 0 END)`;
    const earliestMs = Math.min(Number(week), Number(month));
    const rows = (await this.unitOfWork.reader.query(
      `SELECT key_id, ${since(day)} AS day_sum, ${since(week)} AS week_sum, ${since(month)} AS month_sum FROM usage_hour WHERE account_id = ? AND hour_ms >= ${earliestMs} GROUP BY key_id`,
      [accountId],
    )) as Record<string, string | number>[];
    const toSpend = (row: Record<string, string | number>): KeySpend => ({
      day: Number(row.day_sum),
      week: Number(row.week_sum),
      month: Number(row.month_sum),
    });
    return new Map(rows.map((row) => [String(row.key_id), toSpend(row)]));
  }

  /**
   * What keys have spent in the running month, by the person who made them; whoever has spent nothing is not among them. Added up by the
   * database: an account that makes a key for each thing that it does has more of them than this process should read.
   */
  async sumMonthByMaker(accountId: string, nowMs: number): Promise<ReadonlyMap<string, number>> {
    const maker = 'COALESCE(k.made_by, k.account_id)';
    const byKey = `SELECT key_id, SUM(charged_millicredits) AS key_sum FROM usage_hour WHERE account_id = ? AND hour_ms >= ${spanAt('month', nowMs).startsAtMs} AND charged_millicredits > 0 GROUP BY key_id`;
    const rows = (await this.unitOfWork.reader.query(
      `SELECT ${maker} AS maker, SUM(u.key_sum) AS month_sum FROM (${byKey}) AS u JOIN api_key k ON k.id = u.key_id WHERE k.account_id = ? GROUP BY ${maker}`,
      [accountId, accountId],
    )) as { maker: string; month_sum: string | number }[];
    return new Map(rows.map(({ maker: personId, month_sum: sum }) => [personId, Number(sum)]));
  }
}
