import type { EntityManager } from 'typeorm';
import type { SpendPeriod } from '../kernel/spend-period.js';

/** A key that is in force and has a budget. */
export interface BudgetedKey {
  readonly keyId: string;
  readonly name: string;
  readonly limitMillicredits: number;
  readonly period: SpendPeriod;
}

/** An account's keys that are in force and have a budget of more than nothing; at most 1,000. */
export async function listBudgetedKeys(reader: EntityManager, accountId: string): Promise<readonly BudgetedKey[]> {
  const rows: Record<string, string | number>[] = await reader.query(
    'SELECT id, name, spend_limit_millicredits AS spend_limit, spend_period FROM api_key WHERE account_id = ? AND revoked_at_ms IS NULL AND spend_limit_millicredits > 0 AND spend_period IS NOT NULL ORDER BY id LIMIT 1000',
    [accountId],
  );
  return rows.map((row) => ({
    keyId: String(row.id),
    name: String(row.name),
    limitMillicredits: Number(row.spend_limit),
    period: row.spend_period as SpendPeriod,
  }));
}

/** Accounts with a key that was used since then, a page of them by the id of the key. */
export async function listAccountsInUse(
  reader: EntityManager,
  page: { readonly usedSinceMs: number; readonly afterKeyId: string; readonly first: number },
): Promise<readonly { readonly keyId: string; readonly accountId: string }[]> {
  const rows: Record<string, string>[] = await reader.query(
    `SELECT id, account_id FROM api_key WHERE id > ? AND last_used_at_ms >= ? ORDER BY id LIMIT ${Number(page.first)}`,
    [page.afterKeyId, page.usedSinceMs],
  );
  return rows.map((row) => ({ keyId: String(row.id), accountId: String(row.account_id) }));
}

/** What an account spent in each hour since then, by the beginning of the hour; hours without use are not among them. */
export async function sumHours(
  reader: EntityManager,
  accountId: string,
  sinceMs: number,
): Promise<ReadonlyMap<number, number>> {
  const rows: Record<string, string | number>[] = await reader.query(
    'SELECT hour_ms, SUM(charged_millicredits) AS spent FROM usage_hour WHERE account_id = ? AND hour_ms >= ? GROUP BY hour_ms',
    [accountId, sinceMs],
  );
  return new Map(rows.map((row) => [Number(row.hour_ms), Number(row.spent)]));
}
