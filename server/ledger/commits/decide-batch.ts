import { playgroundKeyId } from '../../kernel/ids.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { type CompanionToRun, listWrites } from '../companion-write.js';
import { readFreezeReasons } from '../freeze-reasons.js';
import { coversOnceIdle, roomIn, toStanding } from '../key-spend/key-spend-books.js';
import type { KeySpendRow, SpendCounter } from '../key-spend/key-spend-rows.js';
import {
  decideLease,
  decideLeaseEnd,
  decideLeaseRenewal,
  decidePromotion,
  recallLeases,
} from '../leases/decide-lease.js';
import { timesOfCredits } from '../leases/lease-times.js';
import type {
  EndLeaseResult,
  LeaseResult,
  PromoteResult,
  RecallResult,
  RenewLeaseResult,
} from '../leases/lease-types.js';
import type {
  FreezeInput,
  GrantInput,
  GrantResult,
  GrantType,
  HoldInput,
  HoldRefusal,
  HoldResult,
  RenewResult,
  ReversalInput,
  ReversalType,
  SettleResult,
  WaiveResult,
  WalletStateInput,
  WalletStateResult,
} from '../ledger-types.js';
import { systemAccounts } from '../ledger-types.js';
import type { BatchSnapshot, LedgerOperation, WalletRow } from '../tables/ledger-rows.js';
import { hasRoomForGrant, hasRoomForReversal, isOwed } from '../wallet-room.js';
import { decideExpiry, decideRenewal, decideSettlement, decideVoid } from './decide-call-end.js';
import { decideWaiver } from './decide-waiver.js';
import { makeHold } from './make-rows.js';
import { availableIn, closeWhenIdle, WorkingBooks } from './working-books.js';

export type OperationResult =
  | HoldResult
  | SettleResult
  | RenewResult
  | WaiveResult
  | GrantResult
  | WalletStateResult
  | LeaseResult
  | RenewLeaseResult
  | EndLeaseResult
  | RecallResult
  | PromoteResult;

/** How long a hold outlives the last sign of life of the process that runs its call, and what is added before it is swept. */
export interface LeaseTimes {
  readonly leaseMs: number;
  readonly graceMs: number;
}

/**
 * The ledger's whole arithmetic, as a pure function of what was read under lock: works out each operation's result, one
 * after the other, and the rows to write. The same code decides on SQLite and on MySQL.
 *
 * Each operation succeeds or is refused on its own. One that was carried out before is answered from its record and
 * writes nothing. Rows of the snapshot are copied, not changed.
 */
export function decideBatch(operations: readonly LedgerOperation[], snapshot: BatchSnapshot, times: LeaseTimes) {
  const books = new WorkingBooks(snapshot);
  const results = operations.map((operation) => decide(operation, books, times));
  const companions = listCompanions(operations, results);
  return {
    results,
    changes: books.changes(),
    companions,
    openLeases: books.listOpenLeases(),
    keyRooms: books.spends.listRooms(),
  };
}

function decide(operation: LedgerOperation, books: WorkingBooks, times: LeaseTimes): OperationResult {
  switch (operation.kind) {
    case 'hold':
      return decideHold(operation.input, operation.instance, books, times);
    case 'settle':
      return decideSettlement(operation.input, books);
    case 'void':
      return decideVoid(operation.input.callId, books);
    case 'renew':
      return decideRenewal(operation.input, books, times);
    case 'expire':
      return decideExpiry(operation.input, books, times);
    case 'waive':
      return decideWaiver(operation.input, operation.instance, books);
    case 'grant':
      return decideGrant(operation.input, books);
    case 'reversal':
      return decideReversal(operation.input, operation.instance, books);
    case 'wallet_state':
      return decideWalletState(operation.input, operation.instance, books);
    case 'lease':
      return decideLease(operation.input, operation.instance, books, timesOfCredits(times));
    case 'renew_lease':
      return decideLeaseRenewal(operation.input, books, timesOfCredits(times));
    case 'end_lease':
      return decideLeaseEnd(operation.input, books);
    case 'recall':
      return { status: 'recalled', pendingRecalls: recallLeases(operation.input, operation.instance, books) };
    case 'promote':
      return decidePromotion(operation.input, operation.instance, books, times);
  }
}

function decideHold(input: HoldInput, instance: string, books: WorkingBooks, times: LeaseTimes): HoldResult {
  const wallet = books.findWallet(input.accountId);
  const earlier = books.findHold(input.callId);
  const available = wallet ? availableIn(wallet) : 0;
  const key = books.findKey(input.keyId);
  const counter = wallet && books.spends.findCounter(key, input.facts.startedAtMs);
  if (earlier?.state === 'open') {
    return {
      status: 'held',
      heldMillicredits: toMillicredits(earlier.amount),
      availableAfterMillicredits: toMillicredits(available),
    };
  }
  const budget = books.members.find(input.accountId, key, input.facts.startedAtMs);
  const rooms = [counter, budget].map((limit) => (limit ? roomIn(limit, input) : available));
  const amount = Math.min(input.amountMillicredits, Math.max(Math.min(available, ...rooms), 0));
  const reason = earlier ? 'call_already_ended' : findHoldRefusal(input, { amount, counter, budget }, books);
  if (!wallet || reason) {
    return {
      status: 'refused',
      reason: reason ?? 'wallet_not_open',
      availableMillicredits: toMillicredits(available),
      balanceMillicredits: toMillicredits(wallet ? books.balanceOf(wallet) : 0),
      keyLimit: counter && toStanding(counter),
      ...(budget && { memberBudget: toStanding(budget) }),
      ...(wallet?.state === 'frozen' ? { frozenFor: readFreezeReasons(wallet.frozen_for) } : {}),
    };
  }
  const leaseUntilMs = books.nowMs + times.leaseMs;
  const hold = makeHold(input, { amount, instance, leaseUntilMs, spendPeriod: counter?.period ?? null });
  wallet.debits_pending += amount;
  if (counter) books.spends.reserve(counter, amount);
  books.addHold(hold);
  books.book(wallet, { id: hold.id, type: 'hold', from: wallet.id, to: systemAccounts.usage, amount, holdId: hold.id });
  return {
    status: 'held',
    heldMillicredits: toMillicredits(amount),
    availableAfterMillicredits: toMillicredits(availableIn(wallet)),
  };
}

// The playground has no key: whoever is signed in calls there.
function findKeyRefusal({ keyId, keyRevision }: HoldInput, books: WorkingBooks): HoldRefusal | null {
  if (keyId === playgroundKeyId) return null;
  const key = books.findKey(keyId);
  if (!key || key.revoked_at_ms !== null || (key.expires_at_ms ?? Infinity) <= books.nowMs) return 'key_revoked';
  return keyRevision !== undefined && keyRevision !== key.revision ? 'key_changed' : null;
}

function findHoldRefusal(
  input: HoldInput,
  limits: { readonly amount: number; readonly counter: KeySpendRow | null; readonly budget: SpendCounter | null },
  books: WorkingBooks,
): HoldRefusal | null {
  const wallet = books.findWallet(input.accountId);
  if (wallet?.state !== 'open') return 'wallet_not_open';
  const keyRefusal = findKeyRefusal(input, books);
  if (keyRefusal !== null) return keyRefusal;
  const { amount, counter, budget } = limits;
  const needed = input.acceptFromMillicredits;
  if (amount > 0 && amount >= needed) return null;
  const available = availableIn(wallet);
  // First what no end of a running call mends: a caller who is told to wait for that would come again in vain.
  if (books.balanceOf(wallet) < needed) return 'insufficient';
  if (counter && !coversOnceIdle(counter, needed)) return 'key_limit';
  if (budget && !coversOnceIdle(budget, needed)) return 'member_budget';
  if (available < needed) return 'reserved';
  return counter && roomIn(counter, input) < needed ? 'key_limit_reserved' : 'member_budget_reserved';
}

const grantSources: Readonly<Record<GrantType, string>> = {
  purchase: systemAccounts.sales,
  grant: systemAccounts.grants,
  dispute_reversal: systemAccounts.disputes,
  adjustment: systemAccounts.adjustments,
};

// A closed wallet takes what is owed, too: what was paid before it closed, and what is paid back afterwards, belongs in the books. A gift
// would reach nobody there.
function decideGrant(input: GrantInput, books: WorkingBooks): GrantResult {
  const wallet = books.findWallet(input.accountId);
  if (!wallet) return { status: 'refused', reason: 'wallet_not_open' };
  const isReplay = books.isBooked(input.transferId);
  if (!isReplay) {
    if (isClosing(wallet) && !isOwed(input)) return { status: 'refused', reason: 'wallet_not_open' };
    if (!hasRoomForGrant(wallet, input)) return { status: 'refused', reason: 'wallet_full' };
    wallet.credits_posted += input.amountMillicredits;
    const { transferId: id, type, amountMillicredits: amount } = input;
    books.book(wallet, { id, type, from: grantSources[type], to: wallet.id, amount, holdId: null });
  }
  return { status: 'granted', isReplay, ...books.leftOf(wallet) };
}

const reversalTargets: Readonly<Record<ReversalType, string>> = {
  refund: systemAccounts.refunds,
  dispute: systemAccounts.disputes,
  adjustment: systemAccounts.adjustments,
};

/**
 * The only operation that may take a wallet below zero. What is missing, reservations included, becomes the room that the tables permit; what
 * is told as owed is less by those (`divide-balance.ts`).
 */
function decideReversal(input: ReversalInput, instance: string, books: WorkingBooks): GrantResult {
  const wallet = books.findWallet(input.accountId);
  if (!wallet) return { status: 'refused', reason: 'wallet_not_open' };
  const isReplay = books.isBooked(input.transferId);
  if (!isReplay) {
    if (!hasRoomForReversal(wallet, input)) return { status: 'refused', reason: 'wallet_full' };
    wallet.debits_posted += input.amountMillicredits;
    wallet.debt = Math.max(wallet.debt, -availableIn(wallet));
    const { transferId: id, type, amountMillicredits: amount } = input;
    books.book(wallet, { id, type, from: wallet.id, to: reversalTargets[type], amount, holdId: null });
  }
  // What is leased pays the debt first.
  const pendingRecalls = availableIn(wallet) < 0 ? recallLeases({ accountId: wallet.id }, instance, books) : 0;
  return { status: 'granted', isReplay, ...books.leftOf(wallet), ...(pendingRecalls > 0 && { pendingRecalls }) };
}

function decideWalletState(input: WalletStateInput, instance: string, books: WorkingBooks): WalletStateResult {
  const wallet = books.findWallet(input.accountId);
  if (!wallet) return { status: 'refused', reason: 'wallet_not_open' };
  const isLeft = isClosing(wallet);
  if (isLeft && input.state !== 'closing') return { status: 'refused', reason: 'wallet_not_open' };
  if (input.state === 'closing') {
    if (!isLeft) wallet.state = 'closing';
    wallet.frozen_for = null;
    closeWhenIdle(wallet);
  } else freeze(wallet, input);
  const pendingRecalls = input.state === 'open' ? 0 : recallLeases({ accountId: wallet.id }, instance, books);
  return { status: 'changed', ...(pendingRecalls > 0 && { pendingRecalls }) };
}

function isClosing({ state }: WalletRow): boolean {
  return state === 'closing' || state === 'closed';
}

function freeze(wallet: WalletRow, { state, reason, also = [] }: FreezeInput): void {
  const named = [reason, ...also];
  const others = readFreezeReasons(wallet.frozen_for).filter((known) => !named.includes(known));
  const reasons = state === 'frozen' ? [...others, ...named].sort() : others;
  wallet.frozen_for = reasons.length === 0 ? null : reasons.join(',');
  wallet.state = reasons.length === 0 ? 'open' : 'frozen';
}

// A replayed grant ran its companion when it was booked.
function listCompanions(operations: readonly LedgerOperation[], results: readonly OperationResult[]): CompanionToRun[] {
  return operations.flatMap((operation, operationIndex) => {
    const result = results[operationIndex];
    const write = 'companion' in operation.input ? operation.input.companion : undefined;
    const isDone = result?.status === 'changed' || (result?.status === 'granted' && !result.isReplay);
    if (!write || !isDone) return [];
    return listWrites(operationIndex, write, result.status === 'granted' ? result.balanceAfterMillicredits : null);
  });
}
