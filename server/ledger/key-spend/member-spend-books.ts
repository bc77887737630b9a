import { type SpendSpan, spanAt } from '../../kernel/spend-period.js';
import { type BatchSnapshot, type HoldRow, keyOf, type LedgerOperation, leasedCallOf } from '../tables/ledger-rows.js';
import type { KeyRow, SpendCounter } from './key-spend-rows.js';

/** A person whose budget a hold has to keep, and the month in which the call began. */
export interface BudgetedMember {
  readonly accountId: string;
  readonly personId: string;
  readonly span: SpendSpan;
  readonly limitMillicredits: number;
  /** All keys of the batch, whoever made them. */
  readonly keyIds: readonly string[];
}

/** What the keys of one person have spent and reserved in one month. It is summed anew by each batch and stored nowhere. */
export interface MemberSpendRow extends SpendCounter {
  readonly starts_at_ms: number;
  /** Those of the batch's keys that the person has made. */
  readonly keyIds: ReadonlySet<string>;
  limit_millicredits: number;
  spent_millicredits: number;
  pending_millicredits: number;
}

/** What is read of a person's month, under the lock of the wallet. */
export interface MemberSums {
  /** Those of the batch's keys that they have made. */
  readonly keyIds: readonly string[];
  readonly spent: number;
  readonly pending: number;
}

/** Whose budgets the holds of a batch have to keep: none, unless a key's maker has one. */
export function listBudgetedMembers(
  operations: readonly LedgerOperation[],
  known: Pick<BatchSnapshot, 'keys' | 'holds' | 'leases'>,
): ReadonlyMap<string, BudgetedMember> {
  const members = new Map<string, BudgetedMember>();
  let keyIds: readonly string[] | null = null;
  for (const { kind, input } of operations) {
    if (kind !== 'hold') continue;
    const key = known.keys.get(input.keyId);
    if (key?.maker_budget_millicredits == null) continue;
    const personId = key.made_by ?? input.accountId;
    const span = spanAt('month', input.facts.startedAtMs);
    const limitMillicredits = key.maker_budget_millicredits;
    keyIds ??= listKeyIds(operations, known);
    members.set(memberSpendName(input.accountId, personId, span), {
      accountId: input.accountId,
      personId,
      span,
      limitMillicredits,
      keyIds,
    });
  }
  return members;
}

export function toMemberSpend({ span, limitMillicredits }: BudgetedMember, sums: MemberSums): MemberSpendRow {
  return {
    starts_at_ms: span.startsAtMs,
    ends_at_ms: span.endsAtMs,
    keyIds: new Set(sums.keyIds),
    limit_millicredits: limitMillicredits,
    spent_millicredits: sums.spent,
    pending_millicredits: sums.pending,
  };
}

/** The months of members with a budget while a batch is being decided. A call counts in the month in which it began. */
export class MemberSpendBooks {
  readonly #rows = new Map<string, MemberSpendRow>();

  constructor({ memberSpends }: Pick<BatchSnapshot, 'memberSpends'>) {
    for (const [name, row] of memberSpends) this.#rows.set(name, { ...row });
  }

  /** The month of whoever made a key; null: they have no budget. */
  find(accountId: string, key: KeyRow | null, atMs: number): MemberSpendRow | null {
    if (key?.maker_budget_millicredits == null) return null;
    const row = this.#rows.get(memberSpendName(accountId, key.made_by ?? accountId, spanAt('month', atMs)));
    if (!row) throw new Error(`The month of the maker of ${key.id} was not read.`);
    return row;
  }

  /** Counts what becomes of a call, also one that was let in before there was a budget. */
  move(
    { key_id, started_at_ms: atMs }: Pick<HoldRow, 'key_id' | 'started_at_ms'>,
    by: { readonly pending: number; readonly spent: number },
  ): void {
    for (const row of this.#rows.values()) {
      if (!row.keyIds.has(key_id) || atMs < row.starts_at_ms || atMs >= row.ends_at_ms) continue;
      row.pending_millicredits += by.pending;
      row.spent_millicredits += by.spent;
    }
  }
}

function memberSpendName(accountId: string, personId: string, { id }: SpendSpan): string {
  return `${accountId} ${personId} ${id}`;
}

/** The keys of which a batch can hold, charge or give back something: those that its operations name, and those of its holds and leases. */
function listKeyIds(
  operations: readonly LedgerOperation[],
  { holds, leases }: Pick<BatchSnapshot, 'holds' | 'leases'>,
): readonly string[] {
  const named = operations.flatMap((operation) => [keyOf(operation)?.keyId, leasedCallOf(operation)?.keyId]);
  const rows = [...holds.values(), ...leases.values()].map(({ key_id: keyId }) => keyId);
  return [...new Set([...named, ...rows].filter((keyId) => keyId !== undefined && keyId !== null))];
}
