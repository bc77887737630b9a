import { toMillicredits } from '../../kernel/millicredits.js';
import type { LeftAfter } from '../divide-balance.js';
import { findHourToSumAgain } from '../journal/hours-to-sum-again.js';
import { KeySpendBooks } from '../key-spend/key-spend-books.js';
import type { KeyRow } from '../key-spend/key-spend-rows.js';
import { MemberSpendBooks } from '../key-spend/member-spend-books.js';
import type { OpenLease } from '../leases/lease-types.js';
import { type HoldState, type SettleResult, systemAccounts, type TransferType } from '../ledger-types.js';
import type {
  BatchChanges,
  BatchSnapshot,
  CallRecordRow,
  HoldRow,
  LeaseRow,
  TransferRow,
  WalletRow,
} from '../tables/ledger-rows.js';
import { isBookedLate, sumUsage } from './sum-usage.js';

/** One line for the journal, before it has its place in the wallet's order. */
export interface JournalEntry {
  readonly id: string;
  readonly type: TransferType;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  readonly holdId: string | null;
  readonly resolves?: string;
}

/** What may be spent now: what was put in, less what was taken out, less what running calls have reserved. */
export function availableIn(wallet: WalletRow): number {
  return wallet.credits_posted - wallet.debits_posted - wallet.debits_pending;
}

/** The books of one batch while it is being decided: copies of what was read, and what has changed about them. */
export class WorkingBooks {
  readonly nowMs: number;
  readonly spends: KeySpendBooks;
  readonly members: MemberSpendBooks;
  readonly #snapshot: BatchSnapshot;
  readonly #wallets = new Map<string, WalletRow>();
  readonly #holds = new Map<string, HoldRow>();
  readonly #newHolds = new Set<HoldRow>();
  readonly #changedHolds = new Set<HoldRow>();
  readonly #leases = new Map<string, LeaseRow>();
  readonly #changedLeases = new Set<LeaseRow>();
  readonly #newTransfers: TransferRow[] = [];
  readonly #writtenCallRecords = new Map<string, CallRecordRow>();
  readonly #bookedNow = new Set<string>();

  constructor(snapshot: BatchSnapshot) {
    this.#snapshot = snapshot;
    this.nowMs = snapshot.nowMs;
    this.spends = new KeySpendBooks(snapshot);
    this.members = new MemberSpendBooks(snapshot);
    for (const [id, lease] of snapshot.leases) this.#leases.set(id, { ...lease });
    for (const id of snapshot.newlyCountedLeaseIds) this.#changedLeases.add(this.#leases.get(id) as LeaseRow);
    for (const id of snapshot.newlyCountedHoldIds) this.#changedHolds.add(this.findHold(id) as HoldRow);
  }

  changes(): BatchChanges {
    const records = [...this.#writtenCallRecords.values()];
    const wasThere = ({ call_id }: CallRecordRow) => this.#snapshot.callRecords.has(call_id);
    const usageHours = sumUsage(records, this.#snapshot.callRecords);
    return {
      wallets: [...this.#wallets.values()].filter((wallet) =>
        hasChanged(wallet, this.#snapshot.wallets.get(wallet.id)),
      ),
      keySpends: this.spends.changes(),
      newHolds: [...this.#newHolds],
      // A hold that was placed and ended within this very batch is written once, as it ended.
      changedHolds: [...this.#changedHolds].filter((hold) => !this.#newHolds.has(hold)),
      newLeases: [...this.#changedLeases].filter(({ id }) => !this.#snapshot.leases.has(id)),
      changedLeases: [...this.#changedLeases].filter(({ id }) => this.#snapshot.leases.has(id)),
      newTransfers: this.#newTransfers,
      newCallRecords: records.filter((record) => !wasThere(record)),
      changedCallRecords: records.filter(wasThere),
      usageHours,
      lateUsageHours: usageHours.filter(({ hour_ms }) => isBookedLate(hour_ms, this.#snapshot)),
      sumAgainFromHourMs:
        this.#newTransfers.length === 0 ? null : findHourToSumAgain(this.nowMs, this.#snapshot.summedJournalHourMs),
    };
  }

  findWallet(id: string): WalletRow | null {
    return copyInto(this.#wallets, id, this.#snapshot.wallets);
  }

  findHold(id: string): HoldRow | null {
    return copyInto(this.#holds, id, this.#snapshot.holds);
  }

  findHoldWithWallet(callId: string): { hold: HoldRow | null; wallet: WalletRow | null } {
    const hold = this.findHold(callId);
    return { hold, wallet: hold && this.findWallet(hold.wallet) };
  }

  findCallRecord(callId: string): CallRecordRow | null {
    return this.#writtenCallRecords.get(callId) ?? this.#snapshot.callRecords.get(callId) ?? null;
  }

  findKey(keyId: string): KeyRow | null {
    return this.#snapshot.keys.get(keyId) ?? null;
  }

  isBooked(transferId: string): boolean {
    return this.#bookedNow.has(transferId) || this.#snapshot.bookedTransferIds.has(transferId);
  }

  addHold(hold: HoldRow): void {
    this.#holds.set(hold.id, hold);
    this.#newHolds.add(hold);
    this.members.move(hold, { pending: hold.amount, spent: 0 });
  }

  changeHold(hold: HoldRow): void {
    this.#changedHolds.add(hold);
  }

  /** One that has not ended; of an ended one nothing is known here. */
  findLease(id: string): LeaseRow | null {
    const lease = this.#leases.get(id);
    return lease && lease.state !== 'ended' ? lease : null;
  }

  /** Whether receipts of a lease were removed because of their age: of a call without one nobody can say then whether it was booked. */
  isSealed(leaseId: string): boolean {
    return this.#snapshot.sealedLeaseIds.has(leaseId);
  }

  listLeasesOf(walletId: string): LeaseRow[] {
    return [...this.#leases.values()].filter(({ wallet, state }) => wallet === walletId && state !== 'ended');
  }

  /** What a wallet has, reservations not taken off. It counts what leases have spent when they end; here that is taken off before. */
  balanceOf(wallet: WalletRow): number {
    const unbooked = this.listLeasesOf(wallet.id).reduce((sum, { spent }) => sum + spent, 0);
    return wallet.credits_posted - wallet.debits_posted - unbooked;
  }

  leftOf(wallet: WalletRow): LeftAfter {
    return {
      availableAfterMillicredits: toMillicredits(availableIn(wallet)),
      balanceAfterMillicredits: toMillicredits(this.balanceOf(wallet)),
    };
  }

  /** The answer to the end of a call, in millicredits, with what the wallet has left. */
  toSettled(
    wallet: WalletRow,
    { charged, absorbed = 0, isReplay = false }: { charged: number; absorbed?: number; isReplay?: boolean },
  ): Extract<SettleResult, { status: 'settled' }> {
    return {
      status: 'settled',
      chargedMillicredits: toMillicredits(charged),
      absorbedMillicredits: toMillicredits(absorbed),
      ...this.leftOf(wallet),
      isReplay,
    };
  }

  /** A new one, or one that has changed. */
  writeLease(lease: LeaseRow): void {
    this.#leases.set(lease.id, lease);
    this.#changedLeases.add(lease);
  }

  listOpenLeases(): OpenLease[] {
    const open = [...this.#leases.values()].filter(({ state }) => state !== 'ended');
    return open.map(({ id, wallet, instance, key_id, amount, spent, reserved }) => ({
      leaseId: id,
      accountId: wallet,
      instance,
      keyId: key_id,
      unreservedMillicredits: Math.max(0, amount - spent - reserved),
    }));
  }

  writeCallRecord(record: CallRecordRow): void {
    this.#writtenCallRecords.set(record.call_id, record);
  }

  /** Ends a hold: nothing of it stays reserved, and `posted` of it is charged. */
  resolveHold(hold: HoldRow, wallet: WalletRow, state: Exclude<HoldState, 'open'>, posted: number): void {
    hold.state = state;
    hold.posted = posted;
    this.changeHold(hold);
    wallet.debits_pending -= hold.amount;
    wallet.debits_posted += posted;
    this.count(hold, { pending: -hold.amount, spent: posted });
    closeWhenIdle(wallet);
    const id = `${hold.id}:r`;
    this.book(wallet, {
      id,
      type: state,
      from: wallet.id,
      to: systemAccounts.usage,
      amount: posted,
      holdId: hold.id,
      resolves: hold.id,
    });
  }

  /** Counts what becomes of a call, against the limit of its key and the budget of whoever made that. */
  count(call: HoldRow, by: { readonly pending: number; readonly spent: number }): void {
    this.spends.move(call, by);
    this.members.move(call, by);
  }

  /** Charges a cost that no hold covers, as far as the balance goes; the operator absorbs the rest. */
  chargeBalance(wallet: WalletRow, hold: HoldRow, type: 'overage' | 'late', cost: number) {
    const charged = Math.min(cost, Math.max(availableIn(wallet), 0));
    const absorbed = cost - charged;
    const to = systemAccounts.usage;
    // A late settlement is booked even at nothing, so that it is known to have happened.
    if (charged > 0 || type === 'late') {
      wallet.debits_posted += charged;
      this.count(hold, { pending: 0, spent: charged });
      const id = `${hold.id}:${type}`;
      this.book(wallet, { id, type, from: wallet.id, to, amount: charged, holdId: hold.id });
    }
    if (absorbed > 0) {
      const id = `${hold.id}:absorbed`;
      this.book(wallet, { id, type: 'absorbed', from: systemAccounts.absorbed, to, amount: absorbed, holdId: hold.id });
    }
    return { charged, absorbed };
  }

  book(wallet: WalletRow, entry: JournalEntry): void {
    wallet.seq += 1;
    // A debt is only ever as large as what is missing.
    wallet.debt = Math.min(wallet.debt, Math.max(0, -availableIn(wallet)));
    this.#bookedNow.add(entry.id);
    this.#newTransfers.push({
      wallet: wallet.id,
      wallet_seq: wallet.seq,
      id: entry.id,
      type: entry.type,
      debit_account: entry.from,
      credit_account: entry.to,
      amount: toMillicredits(entry.amount),
      available_after: availableIn(wallet),
      posted_after: wallet.credits_posted - wallet.debits_posted,
      hold_id: entry.holdId,
      resolves: entry.resolves ?? null,
      at_ms: this.nowMs,
    });
  }
}

/** Ends the closing of a wallet once nothing runs on it any more. */
export function closeWhenIdle(wallet: WalletRow): void {
  if (wallet.state === 'closing' && wallet.debits_pending === 0) wallet.state = 'closed';
}

function hasChanged(wallet: WalletRow, before: WalletRow | undefined): boolean {
  return wallet.seq !== before?.seq || wallet.state !== before.state || wallet.frozen_for !== before.frozen_for;
}

function copyInto<Row extends object>(
  copies: Map<string, Row>,
  id: string,
  rows: ReadonlyMap<string, Row>,
): Row | null {
  const known = copies.get(id);
  if (known) return known;
  const row = rows.get(id);
  if (!row) return null;
  const copy = { ...row };
  copies.set(id, copy);
  return copy;
}
