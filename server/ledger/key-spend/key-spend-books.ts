import { toMillicredits } from '../../kernel/millicredits.js';
import { spanAt } from '../../kernel/spend-period.js';
import type { KeyRoom } from '../leases/lease-types.js';
import type { HoldInput, KeyLimitStanding } from '../ledger-types.js';
import type { BatchSnapshot, HoldRow, LeaseRow } from '../tables/ledger-rows.js';
import { type KeyRow, type KeySpendRow, keySpendName, type SpendCounter } from './key-spend-rows.js';

/**
 * The counters of keys with a spend limit while a batch is being decided. A call counts in the period in which it began,
 * whenever it ends: its hold is reserved there, and what it is charged is spent there.
 */
export class KeySpendBooks {
  readonly #rows = new Map<string, KeySpendRow>();
  readonly #changed = new Set<KeySpendRow>();

  constructor({ keySpends, newCounterNames }: Pick<BatchSnapshot, 'keySpends' | 'newCounterNames'>) {
    for (const [name, row] of keySpends) {
      const copy = { ...row };
      this.#rows.set(name, copy);
      if (newCounterNames.has(name)) this.#changed.add(copy);
    }
  }

  changes(): readonly KeySpendRow[] {
    return [...this.#changed];
  }

  /** The counter of the period that a moment lies in, at the key's limit of today; null: the key has no limit. */
  findCounter(key: KeyRow | null, atMs: number): KeySpendRow | null {
    if (key?.spend_period == null || key.spend_limit_millicredits === null) return null;
    const row = this.#rows.get(keySpendName(key.id, spanAt(key.spend_period, atMs).id));
    if (!row) throw new Error(`The counter of ${key.id} was not read.`);
    if (row.limit_millicredits !== key.spend_limit_millicredits) {
      row.limit_millicredits = key.spend_limit_millicredits;
      this.#note(row);
    }
    return row;
  }

  /** The period in which a call counts that has no hold, if its key has a counter for that time; else null. */
  findPeriod(keyId: string, atMs: number): string | null {
    for (const row of this.#rows.values()) {
      if (row.key_id === keyId && row.starts_at_ms <= atMs && atMs < row.ends_at_ms) return row.period;
    }
    return null;
  }

  /** The counter by its name, if it is there. */
  find(keyId: string | null, period: string | null): KeySpendRow | null {
    return (keyId !== null && period !== null && this.#rows.get(keySpendName(keyId, period))) || null;
  }

  /** What is left of each limit that the batch was about. */
  listRooms(): KeyRoom[] {
    return [...this.#rows.values()].map((row) => ({
      accountId: row.wallet,
      keyId: row.key_id,
      startsAtMs: row.starts_at_ms,
      leftMillicredits: leftOf(row),
    }));
  }

  /** Counts a hold or a lease that the limit has room for. */
  reserve(row: KeySpendRow, amount: number): void {
    row.pending_millicredits += amount;
    this.#changed.add(row);
  }

  /** Counts what becomes of a hold or a lease; one that counts nowhere, or whose counter was forgotten, moves nothing. */
  move(
    { key_id, spend_period }: Pick<HoldRow | LeaseRow, 'key_id' | 'spend_period'>,
    by: { readonly pending: number; readonly spent: number },
  ): void {
    const row = this.find(key_id, spend_period);
    if (!row) return;
    row.pending_millicredits += by.pending;
    row.spent_millicredits += by.spent;
    this.#note(row);
  }

  // Never called for a hold: a hold that passed its limit would be refused by the database.
  #note(row: KeySpendRow): void {
    const counted = row.spent_millicredits + row.pending_millicredits;
    row.excess_millicredits = Math.max(0, counted - row.limit_millicredits);
    this.#changed.add(row);
  }
}

/** A call that makes do with less takes one part in so many of what is left. */
const partsOfLeft = 8;

/**
 * What a call may hold of a limit: all that is left, or a share of it where less is enough for the call. Less than zero
 * when the limit was lowered below what was spent.
 */
export function roomIn(row: SpendCounter, { enoughMillicredits }: Pick<HoldInput, 'enoughMillicredits'>): number {
  const left = leftOf(row);
  if (enoughMillicredits === undefined) return left;
  return Math.min(left, Math.max(enoughMillicredits, Math.floor(left / partsOfLeft)));
}

/** What neither charges nor reservations have taken of a limit. */
export function leftOf({ limit_millicredits, spent_millicredits, pending_millicredits }: SpendCounter): number {
  return limit_millicredits - spent_millicredits - pending_millicredits;
}

/** Whether a limit covers so much once its running calls have ended and cost nothing. */
export function coversOnceIdle(row: SpendCounter, amount: number): boolean {
  return row.limit_millicredits - row.spent_millicredits >= amount;
}

export function toStanding(row: SpendCounter): KeyLimitStanding {
  return {
    limitMillicredits: toMillicredits(row.limit_millicredits),
    spentMillicredits: toMillicredits(row.spent_millicredits),
    pendingMillicredits: toMillicredits(row.pending_millicredits),
    resetsAtMs: row.ends_at_ms,
  };
}
