import type { EntityManager } from 'typeorm';
import { readSum, sumAsText } from '../database/exact-sums.js';
import type { Use } from './total-sum.js';
import { dayMs } from './totals-hours.js';

/** What was used of one model at one provider. What was not asked for is empty. */
export interface UseOfRoute extends Use {
  readonly model: string;
  readonly provider: string;
  readonly accountId: string;
  /** As `2026-01-31`. */
  readonly day: string;
}

type Row = Readonly<Record<string, unknown>>;

const timeIndexOf = { usage_hour: 'ix_usage_hour_time', usage_late: 'ix_usage_late_time', usage_total: 'PRIMARY' };

/**
 * What behind a table's name makes its rows be read by their time and in no other way. Once SQLite knows how many rows there are it
 * would otherwise go through all accounts for the rows that each has in those hours: a hundred thousand steps for nothing.
 */
export function forceTimeIndex(reader: EntityManager, table: keyof typeof timeIndexOf): string {
  const index = timeIndexOf[table];
  if (reader.connection.options.type === 'mysql') return `FORCE INDEX (${index})`;
  // A primary key has no name that SQLite would take here, and that of `usage_total` begins with the time.
  return index === 'PRIMARY' ? '' : `INDEXED BY ${index}`;
}

// As expressions: SQLite would otherwise read all days of a table in the order of accounts, by an index that has it.
const expressionOf = { day: `hour_ms - hour_ms % ${dayMs}`, account_id: "COALESCE(account_id, '')" };

/** The use of some hours by model and provider, and by what else is asked for; by the index of their time. */
export async function readUse(
  reader: EntityManager,
  table: keyof typeof timeIndexOf,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  alsoBy: readonly (keyof typeof expressionOf)[],
): Promise<readonly UseOfRoute[]> {
  const groups = [...alsoBy.map((name) => expressionOf[name]), "COALESCE(model, '')", "COALESCE(provider, '')"];
  const names = [...alsoBy.map((name) => (name === 'day' ? 'day_ms' : name)), 'model_name', 'provider_name'];
  const selected = groups.map((expression, at) => `${expression} AS ${names[at]}`).join(', ');
  const rows: readonly Row[] = await reader.query(
    `SELECT ${selected}, ${sums} FROM ${table} ${forceTimeIndex(reader, table)} WHERE hour_ms >= ? AND hour_ms < ? GROUP BY ${groups.join(', ')}`,
    [fromMs, toMs],
  );
  return rows.map(toUseOfRoute);
}

/** The columns of each table of use, under the names of `Use`. */
export const sums = [
  'SUM(calls) AS calls',
  'SUM(prompt_tokens) AS promptTokens',
  'SUM(completion_tokens) AS completionTokens',
  `${sumAsText('charged_millicredits')} AS charged`,
  `${sumAsText('absorbed_millicredits')} AS absorbed`,
].join(', ');

/** MySQL hands sums over as text. */
export function toUse(row: Row): Use {
  const of = (column: string) => Number(row[column] ?? 0);
  return {
    calls: of('calls'),
    promptTokens: of('promptTokens'),
    completionTokens: of('completionTokens'),
    charged: readSum(row.charged),
    absorbed: readSum(row.absorbed),
  };
}

function toUseOfRoute(row: Row): UseOfRoute {
  return {
    ...toUse(row),
    model: String(row.model_name),
    provider: String(row.provider_name),
    accountId: String(row.account_id ?? ''),
    day: row.day_ms == null ? '' : new Date(Number(row.day_ms)).toISOString().slice(0, 10),
  };
}
