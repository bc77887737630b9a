import type { EntityManager } from 'typeorm';
import { usageSums } from '../tables/ledger-columns.js';
import type { UsageHourRow } from '../tables/ledger-rows.js';

/** What tells a row of an account's use from its others. */
export type HourName = Pick<UsageHourRow, 'hour_ms' | 'key_id' | 'model' | 'provider'>;
export type UsageSum = Exclude<keyof UsageHourRow, keyof HourName | 'account_id'>;
type Sums = Readonly<Record<UsageSum, number>>;

/** A row of `usage_hour` that is not what its receipts say. */
export interface WrongHour extends HourName {
  /** What stands there; zeros where there is no row. */
  readonly kept: Sums;
  /** What the receipts say. */
  readonly wanted: Sums;
}

type Row = Readonly<Record<string, unknown>>;

/** The sums of receipts, as `sumUsage` of `server/ledger/commits/sum-usage.ts` adds them one by one. */
const ofReceipts: Readonly<Record<UsageSum, string>> = {
  calls: 'COUNT(*)',
  failed_calls: "SUM(CASE WHEN outcome IN ('completed', 'abandoned') THEN 0 ELSE 1 END)",
  prompt_tokens: 'SUM(prompt_tokens)',
  completion_tokens: 'SUM(completion_tokens)',
  charged_millicredits: 'SUM(charged_millicredits)',
  absorbed_millicredits: 'SUM(absorbed_millicredits)',
  told_calls: 'COUNT(*)',
  cached_tokens: 'SUM(COALESCE(cached_tokens, 0))',
  reasoning_tokens: 'SUM(COALESCE(reasoning_tokens, 0))',
};
/** What the releases before summed less of than there is. */
const tellingSums: readonly UsageSum[] = ['told_calls', 'cached_tokens', 'reasoning_tokens'];
const moneySums = ['calls', 'prompt_tokens', 'completion_tokens', 'charged_millicredits', 'absorbed_millicredits'];
const sums = usageSums as readonly UsageSum[];
const hourMs = 3_600_000;
const hourOfReceipt = `started_at_ms - started_at_ms % ${hourMs}`;

const eachSum = (write: (sum: UsageSum) => string) => sums.map(write).join(', ');
const differs = (sum: UsageSum) => `SUM(wanted_${sum}) <> SUM(kept_${sum})`;
const isWrong = [
  ...sums.filter((sum) => !tellingSums.includes(sum)).map(differs),
  `(SUM(kept_told_calls) >= SUM(kept_calls) AND (${tellingSums.map(differs).join(' OR ')}))`,
].join(' OR ');

/**
 * Receipts and hours in one statement, so as they were at one moment: whatever is booked later is in both, and the difference stays.
 * Months whose receipts were removed are left out, by the same moment.
 */
const findSql = `
  SELECT hour_ms, key_id, model, provider,
    ${eachSum((sum) => `SUM(wanted_${sum}) AS all_wanted_${sum}, SUM(kept_${sum}) AS all_kept_${sum}`)}
  FROM (
    SELECT ${hourOfReceipt} AS hour_ms, key_id, model, provider,
      ${eachSum((sum) => `${ofReceipts[sum]} AS wanted_${sum}, 0 AS kept_${sum}`)}
    FROM call_record WHERE account_id = ? GROUP BY ${hourOfReceipt}, key_id, model, provider
    UNION ALL
    SELECT hour_ms, key_id, model, provider, ${eachSum((sum) => `0 AS wanted_${sum}, COALESCE(${sum}, 0) AS kept_${sum}`)}
    FROM usage_hour WHERE account_id = ?) sides
  WHERE NOT EXISTS (SELECT 1 FROM sealed_month m
    WHERE m.account_id = ? AND sides.hour_ms >= m.month_ms AND sides.hour_ms < m.month_end_ms)
  GROUP BY hour_ms, key_id, model, provider HAVING ${isWrong} ORDER BY hour_ms DESC`;

/**
 * The rows of an account's use that are not what its receipts say, the latest first. It reads every receipt of the account, without
 * locking any.
 * @param first At most so many. @throws the driver's error.
 */
export async function findWrongHours(
  reader: EntityManager,
  accountId: string,
  first: number,
): Promise<readonly WrongHour[]> {
  const sql = `${findSql} LIMIT ${first}`;
  const rows: readonly Row[] = await reader.query(sql, [accountId, accountId, accountId]);
  return rows.map((row) => ({
    ...nameOf(row),
    kept: readSums(row, 'all_kept_'),
    wanted: readSums(row, 'all_wanted_'),
  }));
}

/** The rows of use that have these names now. @throws the driver's error. */
export async function readHours(
  reader: EntityManager,
  accountId: string,
  names: readonly HourName[],
): Promise<readonly (HourName & { readonly kept: Sums })[]> {
  const place = '(hour_ms = ? AND key_id = ? AND model = ? AND provider = ?)';
  const rows: readonly Row[] = await reader.query(
    `SELECT hour_ms, key_id, model, provider, ${usageSums.join(', ')} FROM usage_hour
     WHERE account_id = ? AND (${names.map(() => place).join(' OR ')})`,
    [accountId, ...names.flatMap(({ hour_ms, key_id, model, provider }) => [hour_ms, key_id, model, provider])],
  );
  return rows.map((row) => ({ ...nameOf(row), kept: readSums(row, '') }));
}

const ofMonth = (sign: '' | '-', table: 'call_record' | 'usage_hour', at: string, calls: string) => `
    SELECT m.month_ms, ${sign}${calls} AS calls, ${moneySums
      .slice(1)
      .map((sum) => `${sign}SUM(u.${sum}) AS ${sum}`)
      .join(', ')}
    FROM sealed_month m JOIN ${table} u ON u.account_id = m.account_id AND u.${at} >= m.month_ms AND u.${at} < m.month_end_ms
    WHERE m.account_id = ? GROUP BY m.month_ms`;
const findSealedSql = `
  SELECT month_ms FROM (
    SELECT month_ms, ${moneySums.join(', ')} FROM sealed_month WHERE account_id = ?
    UNION ALL ${ofMonth('', 'call_record', 'started_at_ms', 'COUNT(*)')}
    UNION ALL ${ofMonth('-', 'usage_hour', 'hour_ms', 'SUM(u.calls)')}) sides
  GROUP BY month_ms HAVING ${moneySums.map((sum) => `SUM(${sum}) <> 0`).join(' OR ')} ORDER BY month_ms`;

/**
 * The months of an account whose receipts were removed and whose hours of use are not what they came to; nobody can tell any more which
 * hour is wrong.
 * @throws the driver's error.
 */
export async function findWrongSealedMonths(reader: EntityManager, accountId: string): Promise<readonly number[]> {
  const [sealed] = await reader.query('SELECT 1 FROM sealed_month WHERE account_id = ? LIMIT 1', [accountId]);
  if (sealed === undefined) return [];
  const rows: readonly Row[] = await reader.query(findSealedSql, [accountId, accountId, accountId]);
  return rows.map((row) => Number(row.month_ms));
}

/** MySQL hands sums and large numbers over as text. */
function readSums(row: Row, prefix: string): Sums {
  return Object.fromEntries(sums.map((sum) => [sum, Number(row[`${prefix}${sum}`] ?? 0)])) as Sums;
}

function nameOf({ hour_ms, key_id, model, provider }: Row): HourName {
  return { hour_ms: Number(hour_ms), key_id: String(key_id), model: String(model), provider: String(provider) };
}
