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

/** What the keys that a member with a budget has made spent together in a month. */
export interface BudgetedMember {
  /** The account that they signed up with. */
  readonly personId: string;
  readonly limitMillicredits: number;
  readonly spentMillicredits: number;
}

/** Those who made a budgeted key of an account that was used in a month, with a budget of more than nothing; at most 1,000. */
export async function listBudgetedMembers(
  reader: EntityManager,
  accountId: string,
  monthStartsAtMs: number,
): Promise<readonly BudgetedMember[]> {
  const isBudgeted = 'account_id = ? AND maker_budget_millicredits > 0';
  const maker = 'COALESCE(made_by, account_id)';
  // Most accounts have none, and are not asked for a month of hours.
  if ((await reader.query(`SELECT id FROM api_key WHERE ${isBudgeted} LIMIT 1`, [accountId])).length === 0) return [];
  const month =
    'SELECT key_id, SUM(charged_millicredits) AS spent FROM usage_hour WHERE account_id = ? AND hour_ms >= ? GROUP BY key_id';
  // Of ended keys only the last one that somebody made has the budget of now.
  const last = `SELECT MAX(id) FROM api_key WHERE account_id = ? GROUP BY ${maker}`;
  const budgets = `SELECT ${maker} AS person_id, MIN(maker_budget_millicredits) AS budget FROM api_key WHERE ${isBudgeted} AND (revoked_at_ms IS NULL OR id IN (${last})) GROUP BY ${maker}`;
  const sums = `SELECT ${maker} AS person_id, SUM(spent) AS spent FROM (${month}) month JOIN api_key ON id = key_id WHERE account_id = ? GROUP BY ${maker}`;
  const rows: Record<string, string | number>[] = await reader.query(
    `SELECT budgets.person_id AS person_id, budget, spent FROM (${budgets}) budgets JOIN (${sums}) sums ON sums.person_id = budgets.person_id ORDER BY budgets.person_id LIMIT 1000`,
    [accountId, accountId, accountId, monthStartsAtMs, accountId],
  );
  return rows.map((row) => ({
    personId: String(row.person_id),
    limitMillicredits: Number(row.budget),
    spentMillicredits: Number(row.spent),
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
