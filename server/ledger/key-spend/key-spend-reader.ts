import type { UnitOfWork } from '../../database/unit-of-work.js';
import { type SpendPeriod, spanAt } from '../../kernel/spend-period.js';

/** Millicredits that the calls of a key were charged which began in the running day, week and month. */
export type KeySpend = Readonly<Record<SpendPeriod, number>>;

/** Reads what keys have spent, for people and programs to look at; limits are kept by the ledger's own counters. */
export class KeySpendReader {
  constructor(private readonly unitOfWork: UnitOfWork) {}

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
}
