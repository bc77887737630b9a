import { type SpendSpan, spanAt } from '../kernel/spend-period.js';
import { type KeyRow, type KeySpendRow, keySpendName } from './key-spend-rows.js';
import type { HoldRow, LedgerOperation, WalletRow } from './ledger-rows.js';

/** A counter that a hold asks for and that does not exist yet. */
export interface MissingCounter {
  readonly key: KeyRow;
  readonly accountId: string;
  readonly span: SpendSpan;
}

/** What a batch has read so far; `addCounter` completes it. */
export interface ReadSoFar {
  readonly wallets: ReadonlyMap<string, WalletRow>;
  readonly holds: Map<string, HoldRow>;
  readonly keys: ReadonlyMap<string, KeyRow>;
  readonly keySpends: Map<string, KeySpendRow>;
  readonly newCounterNames: Set<string>;
  readonly newlyCountedHoldIds: Set<string>;
}

/**
 * The counters that this batch's holds need and that were not found: the first calls of limited keys in their period, and
 * the first ones under a limit that is new. For each the caller then reads what `addCounter` asks for.
 */
export function listMissingCounters(
  operations: readonly LedgerOperation[],
  { wallets, keys, keySpends }: ReadSoFar,
): MissingCounter[] {
  const missing = new Map<string, MissingCounter>();
  for (const { kind, input } of operations) {
    const key = kind === 'hold' ? keys.get(input.keyId) : undefined;
    if (kind !== 'hold' || key?.spend_period == null || !wallets.has(input.accountId)) continue;
    const span = spanAt(key.spend_period, input.facts.startedAtMs);
    const name = keySpendName(key.id, span.id);
    if (!keySpends.has(name)) missing.set(name, { key, accountId: input.accountId, span });
  }
  return [...missing.values()];
}

/**
 * Opens a counter at what the key has spent in the period so far. Its holds of the period that can still be charged, open or
 * expired, count in it from now on.
 * @param spent The sum of the period's hours of use of the key.
 * @param holds Those holds.
 */
export function addCounter(
  { key, accountId, span }: MissingCounter,
  { spent, holds }: { readonly spent: number; readonly holds: readonly HoldRow[] },
  read: ReadSoFar,
): void {
  const pending = holds.reduce((sum, { state, amount }) => sum + (state === 'open' ? amount : 0), 0);
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
}
