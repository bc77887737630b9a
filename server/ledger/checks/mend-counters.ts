import type { EntityManager } from 'typeorm';

/** A counter of a key's spend limit that is not what it is made of. */
export interface WrongCounter {
  readonly keyId: string;
  readonly period: string;
  readonly spent: number;
  readonly pending: number;
  readonly excess: number;
}

/** Of which counters of an account: those of these keys whose period meets this time; left out: all. */
export interface CounterScope {
  readonly keyIds: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

// As the invariants of `check-ledger.ts` work it out.
const countersSql = `
  SELECT s.key_id, s.period, s.limit_millicredits, s.spent_millicredits,
    s.pending_millicredits, s.excess_millicredits,
    (SELECT COALESCE(SUM(u.charged_millicredits), 0) FROM usage_hour u WHERE u.account_id = s.wallet
      AND u.key_id = s.key_id AND u.hour_ms >= s.starts_at_ms AND u.hour_ms < s.ends_at_ms) AS spent,
    (SELECT COALESCE(SUM(h.amount), 0) FROM ledger_hold h WHERE h.wallet = s.wallet AND h.state = 'open'
      AND h.key_id = s.key_id AND h.started_at_ms >= s.starts_at_ms AND h.started_at_ms < s.ends_at_ms)
    + (SELECT COALESCE(SUM(l.amount - l.spent), 0) FROM wallet_lease l WHERE l.wallet = s.wallet
      AND l.state IN ('open', 'recalled', 'draining') AND l.key_id = s.key_id AND l.spend_period = s.period) AS pending
  FROM key_spend s WHERE s.wallet = ?`;
// Hours that cannot be mended may come to less than nothing, which no counter can hold.
const isWrong = `spent >= 0 AND (spent <> spent_millicredits OR pending <> pending_millicredits OR excess_millicredits <>
  CASE WHEN spent + pending > limit_millicredits THEN spent + pending - limit_millicredits ELSE 0 END)`;

/** Counters of an account that are wrong, in the order of key and period. @param first At most so many. @throws the driver's error. */
export async function findWrongCounters(
  reader: EntityManager,
  accountId: string,
  { first, scope }: { readonly first: number; readonly scope?: CounterScope },
): Promise<readonly WrongCounter[]> {
  const within = scope
    ? ` AND s.key_id IN (${scope.keyIds.map(() => '?').join(', ')}) AND s.ends_at_ms > ? AND s.starts_at_ms < ?`
    : '';
  const rows: readonly Readonly<Record<string, unknown>>[] = await reader.query(
    `SELECT * FROM (${countersSql}${within}) counters WHERE ${isWrong} ORDER BY key_id, period LIMIT ${first}`,
    [accountId, ...(scope ? [...scope.keyIds, scope.fromMs, scope.toMs] : [])],
  );
  return rows.map((row) => {
    const [spent, pending] = [Number(row.spent), Number(row.pending)];
    return {
      keyId: String(row.key_id),
      period: String(row.period),
      spent,
      pending,
      excess: Math.max(0, spent + pending - Number(row.limit_millicredits)),
    };
  });
}

/**
 * Makes counters of an account anew from what they are made of. To be called under the lock of the wallet, where no hold is placed and none
 * ends.
 * @returns how many were wrong, at most `first`. @throws the driver's error.
 */
export async function mendCounters(
  transaction: EntityManager,
  accountId: string,
  { first, scope }: { readonly first: number; readonly scope?: CounterScope },
): Promise<number> {
  const wrong = await findWrongCounters(transaction, accountId, { first, ...(scope && { scope }) });
  for (const { keyId, period, spent, pending, excess } of wrong) {
    await transaction.query(
      'UPDATE key_spend SET spent_millicredits = ?, pending_millicredits = ?, excess_millicredits = ? WHERE key_id = ? AND period = ?',
      [spent, pending, excess, keyId, period],
    );
  }
  return wrong.length;
}
