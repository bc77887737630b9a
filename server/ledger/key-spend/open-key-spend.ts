import { type SpendSpan, spanAt } from '../../kernel/spend-period.js';
import { type HoldRow, keyOf, type LeaseRow, type LedgerOperation, type WalletRow } from '../tables/ledger-rows.js';
import { type KeyRow, type KeySpendRow, keySpendName } from './key-spend-rows.js';

/** A counter that an operation asks for and that does not exist yet. */
export interface MissingCounter {
  readonly key: KeyRow;
  readonly accountId: string;
  readonly span: SpendSpan;
}

/** What a batch has read so far; `addCounter` completes it. */
export interface ReadSoFar {
  readonly wallets: ReadonlyMap<string, WalletRow>;
  readonly holds: Map<string, HoldRow>;
  readonly leases: Map<string, LeaseRow>;
  readonly keys: ReadonlyMap<string, KeyRow>;
  readonly keySpends: Map<string, KeySpendRow>;
  readonly newCounterNames: Set<string>;
  readonly newlyCountedHoldIds: Set<string>;
  readonly newlyCountedLeaseIds: Set<string>;
}

/**
 * The counters that this batch needs and that were not found: the first calls of limited keys in their period, and
 * the first ones under a limit that is new. For each the caller then reads what `addCounter` asks for.
 */
export function listMissingCounters(
  operations: readonly LedgerOperation[],
  { wallets, keys, keySpends }: ReadSoFar,
): MissingCounter[] {
  const missing = new Map<string, MissingCounter>();
  for (const operation of operations) {
    const asked = keyOf(operation);
    const key = asked ? keys.get(asked.keyId) : undefined;
    const { accountId } = operation.input;
    if (!asked || key?.spend_period == null || !wallets.has(accountId)) continue;
    const span = spanAt(key.spend_period, asked.atMs);
    const name = keySpendName(key.id, span.id);
    if (!keySpends.has(name)) missing.set(name, { key, accountId, span });
  }
  return [...missing.values()];
}

/**
 * Opens a counter at what the key has spent in the period so far. Its holds of the period that can still be charged, open or
 * expired, and what is leased for it count in it from now on.
 * @param spent The sum of the period's hours of use of the key.
 * @param holds Those holds.
 */
export function addCounter(
  { key, accountId, span }: MissingCounter,
  { spent, holds }: { readonly spent: number; readonly holds: readonly HoldRow[] },
  read: ReadSoFar,
): void {
  const leases = listLeasesIn(span, key, read);
  const leased = leases.reduce((sum, { amount, spent: booked }) => sum + amount - booked, 0);
  const pending = holds.reduce((sum, { state, amount }) => sum + (state === 'open' ? amount : 0), leased);
  const limit = key.spend_limit_millicredits ?? 0;
  const name = keySpendName(key.id, span.id);
  read.newCounterNames.add(name);
  read.keySpends.set(name, {
    key_id: key.id,
    period: span.id,
    wallet: accountId,
    starts_at_ms: span.startsAtMs,
    ends_at_ms: span.endsAtMs,
    limit_millicredits: limit,
    spent_millicredits: spent,
    pending_millicredits: pending,
    excess_millicredits: Math.max(0, spent + pending - limit),
  });
  for (const hold of holds) {
    read.holds.set(hold.id, { ...hold, spend_period: span.id });
    read.newlyCountedHoldIds.add(hold.id);
  }
  for (const lease of leases) {
    if (lease.spend_period === span.id) continue;
    read.leases.set(lease.id, { ...lease, spend_period: span.id });
    read.newlyCountedLeaseIds.add(lease.id);
  }
}

// What is leased for a limit by the day counts in the month, once that is the limit: its calls do, wherever they began.
function listLeasesIn({ id }: SpendSpan, key: KeyRow, { leases }: ReadSoFar): LeaseRow[] {
  return [...leases.values()].filter(({ key_id, spend_period }) => {
    const isOfOldKind = !spend_period?.startsWith(`${key.spend_period} `);
    return key_id === key.id && (spend_period === id || isOfOldKind);
  });
}
