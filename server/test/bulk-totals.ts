import type { DataSource } from 'typeorm';
import { monthAfter, monthOf } from '../kernel/spend-period.js';

const tokens = ['calls', 'prompt_tokens', 'completion_tokens'];
const money = [...tokens, 'charged_millicredits', 'absorbed_millicredits'];

/**
 * What `TotalsSummer` makes of `usage_hour` up to an hour, in one statement for each table: of ten million rows in minutes. Nothing may
 * be summed yet, or be noted as late.
 */
export async function sumTotalsInBulk(source: DataSource, untilMs: number): Promise<void> {
  const sum = async (table: string, keys: Readonly<Record<string, string>>, sums: readonly string[], where: string) => {
    const groups = Object.values(keys).filter((expression) => /^[a-z_]+$/.test(expression));
    await source.query(
      `INSERT INTO ${table} (${[...Object.keys(keys), ...sums].join(', ')})
       SELECT ${[...Object.values(keys), ...sums.map((column) => `SUM(${column})`)].join(', ')} FROM usage_hour
       WHERE ${where} GROUP BY ${groups.join(', ')}`,
    );
  };
  const route = { model: 'model', provider: 'provider' };
  await sum('usage_total', { hour_ms: 'hour_ms', ...route }, money, `hour_ms < ${untilMs}`);
  const [first] = await source.query('SELECT MIN(hour_ms) AS hour_ms FROM usage_hour');
  for (let month = monthOf(Number(first.hour_ms)); month < untilMs; month = monthAfter(month)) {
    const where = `hour_ms >= ${month} AND hour_ms < ${Math.min(monthAfter(month), untilMs)}`;
    const account = { month_ms: String(month), account_id: 'account_id' };
    await sum('account_month', account, money, where);
    await sum('account_part', { ...account, ...route, price_version: '0' }, tokens, where);
  }
  await source.query(`INSERT INTO totals_mark (name, hour_ms, account_id) VALUES ('usage', ${untilMs}, '')`);
}
