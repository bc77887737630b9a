import type { SpendPeriod } from '../../kernel/spend-period.js';

/** What a hold must know about its key. */
export interface KeyRow {
  readonly id: string;
  readonly revoked_at_ms: number | null;
  readonly expires_at_ms: number | null;
  readonly revision: number;
  /** null, like the period: it may spend what the wallet has. */
  readonly spend_limit_millicredits: number | null;
  readonly spend_period: SpendPeriod | null;
  /** The person who made it, by the account that they signed up with; null: the account's first owner. */
  readonly made_by: string | null;
  /** What the calls of all keys of that person may cost in a month; null: they have no budget. */
  readonly maker_budget_millicredits: number | null;
}

/** What a hold asks of a limit: how much there is, what is spent and reserved of it, and when it begins anew. */
export type SpendCounter = Pick<
  KeySpendRow,
  'limit_millicredits' | 'spent_millicredits' | 'pending_millicredits' | 'ends_at_ms'
>;

/** What a key with a spend limit has spent and reserved in one period. */
export interface KeySpendRow {
  readonly key_id: string;
  readonly period: string;
  readonly wallet: string;
  readonly starts_at_ms: number;
  readonly ends_at_ms: number;
  limit_millicredits: number;
  spent_millicredits: number;
  pending_millicredits: number;
  excess_millicredits: number;
}

/** What names a key's counter of one period. */
export function keySpendName(keyId: string, period: string): string {
  return `${keyId} ${period}`;
}
