import { toMillicredits } from '../../kernel/millicredits.js';
import type { LeaseTimes } from '../commits/decide-batch.js';
import { costOf, makeCallRecord, makeHold } from '../commits/make-rows.js';
import { availableIn, type WorkingBooks } from '../commits/working-books.js';
import { leftOf } from '../key-spend/key-spend-books.js';
import type { KeySpendRow } from '../key-spend/key-spend-rows.js';
import { type HoldState, type SettleInput, type SettleResult, systemAccounts } from '../ledger-types.js';
import { mayBeSealed } from '../receipts/retention-rules.js';
import type { HoldRow, LeaseRow, WalletRow } from '../tables/ledger-rows.js';
import {
  type EndLeaseInput,
  type EndLeaseResult,
  type LeasedCall,
  type LeaseInput,
  type LeaseResult,
  type LimitedKey,
  leaseKeyId,
  type PromoteInput,
  type PromoteResult,
  type RecallInput,
  type RenewLeaseInput,
  type RenewLeaseResult,
} from './lease-types.js';

/** A lease takes no more than one part in so many of what is available, and of what is left of a key's limit, so that others find something left. */
const partsOfAvailable = 4;

export function isLease(hold: HoldRow): boolean {
  return hold.key_id === leaseKeyId;
}

/** Sets credits aside for many calls. A lease is a hold, so all that holds of what is pending holds of it. */
export function decideLease(input: LeaseInput, instance: string, books: WorkingBooks, times: LeaseTimes): LeaseResult {
  const wallet = books.findWallet(input.accountId);
  if (wallet?.state !== 'open') return { status: 'refused', reason: 'wallet_not_open' };
  const earlier = books.findLease(input.leaseId);
  if (earlier) return leased(earlier, wallet, books.spends.find(earlier.key_id, earlier.spend_period));
  const counter = input.key ? findLimitCounter(input.key, books) : null;
  if (input.key && !counter) return { status: 'refused', reason: 'key_changed' };
  const mostOf = (left: number) => Math.floor(left / partsOfAvailable);
  const fromWallet = Math.min(input.amountMillicredits, mostOf(availableIn(wallet)));
  if (books.findHold(input.leaseId) || fromWallet < input.acceptFromMillicredits) {
    return { status: 'refused', reason: 'insufficient' };
  }
  const amount = counter ? Math.min(fromWallet, mostOf(leftOf(counter))) : fromWallet;
  if (amount < input.acceptFromMillicredits) return { status: 'refused', reason: 'key_limit' };
  const price = { millicreditsPerToken: toMillicredits(1), isStreamed: false, startedAtMs: books.nowMs };
  const facts = { model: leaseKeyId, provider: leaseKeyId, tier: leaseKeyId, ...price };
  const call = { callId: input.leaseId, accountId: wallet.id, keyId: leaseKeyId, facts };
  reserve(makeHold(call, { amount, instance, leaseUntilMs: books.nowMs + times.leaseMs, spendPeriod: null }), books);
  if (counter) books.spends.reserve(counter, amount);
  const lease: LeaseRow = {
    id: input.leaseId,
    wallet: wallet.id,
    instance,
    amount,
    spent: 0,
    calls: 0,
    reserved: 0,
    state: 'open',
    key_id: counter?.key_id ?? null,
    spend_period: counter?.period ?? null,
  };
  books.writeLease(lease);
  return leased(lease, wallet, counter);
}

// A key that was revoked or changed since the process has read it is leased for nobody.
function findLimitCounter({ keyId, keyRevision, startedAtMs }: LimitedKey, books: WorkingBooks): KeySpendRow | null {
  const key = books.findKey(keyId);
  if (!key || key.revoked_at_ms !== null || key.revision !== keyRevision) return null;
  return books.spends.findCounter(key, startedAtMs);
}

function leased({ amount }: LeaseRow, wallet: WalletRow, counter: KeySpendRow | null): LeaseResult {
  return {
    status: 'leased',
    amountMillicredits: amount,
    availableAfterMillicredits: toMillicredits(availableIn(wallet)),
    keySpan: counter && { startsAtMs: counter.starts_at_ms, endsAtMs: counter.ends_at_ms },
  };
}

function reserve(hold: HoldRow, books: WorkingBooks): void {
  const wallet = books.findWallet(hold.wallet);
  if (!wallet) throw new Error(`The wallet ${hold.wallet} was not read.`);
  wallet.debits_pending += hold.amount;
  books.addHold(hold);
  const { id, amount } = hold;
  books.book(wallet, { id, type: 'hold', from: wallet.id, to: systemAccounts.usage, amount, holdId: id });
}

export function decideLeaseRenewal(input: RenewLeaseInput, books: WorkingBooks, times: LeaseTimes): RenewLeaseResult {
  const lease = books.findLease(input.leaseId);
  const hold = books.findHold(input.leaseId);
  if (!lease || hold?.state !== 'open') return { status: 'refused', reason: 'not_open' };
  hold.lease_until_ms = books.nowMs + times.leaseMs;
  books.changeHold(hold);
  const isRecalled = lease.state === 'recalled';
  lease.reserved = input.reservedMillicredits;
  if (input.isDraining) lease.state = 'draining';
  books.writeLease(lease);
  return { status: 'lease_renewed', isRecalled };
}

/** Books what was spent of a lease as one line of the journal, and gives the rest back. */
export function decideLeaseEnd({ leaseId, accountId }: EndLeaseInput, books: WorkingBooks): EndLeaseResult {
  const wallet = books.findWallet(accountId);
  const lease = books.findLease(leaseId);
  const hold = books.findHold(leaseId);
  if (wallet && lease && hold?.state === 'open') {
    endLease({ hold, lease, wallet }, lease.spent > 0 ? 'settled' : 'released', books);
  }
  return { status: 'lease_ended', availableAfterMillicredits: toMillicredits(wallet ? availableIn(wallet) : 0) };
}

/** Ends the lease of a process that is gone. @returns what had been booked against it. */
export function expireLease(hold: HoldRow, wallet: WalletRow, books: WorkingBooks): number {
  const lease = books.findLease(hold.id);
  if (!lease) throw new Error(`The lease ${hold.id} was not read.`);
  endLease({ hold, lease, wallet }, 'expired', books);
  return lease.spent;
}

function endLease(
  { hold, lease, wallet }: { readonly hold: HoldRow; readonly lease: LeaseRow; readonly wallet: WalletRow },
  state: Exclude<HoldState, 'open'>,
  books: WorkingBooks,
): void {
  books.resolveHold(hold, wallet, state, lease.spent);
  books.spends.move(lease, { pending: lease.spent - lease.amount, spent: 0 });
  books.writeLease(Object.assign(lease, { state: 'ended', reserved: 0 }));
}

/**
 * Marks what is leased of a wallet, or of it for one key, as wanted back. The process that asks has stopped letting calls in before it asked.
 * @returns how many leases of others may still let calls in.
 */
export function recallLeases({ accountId, keyId }: RecallInput, instance: string, books: WorkingBooks): number {
  let pendingRecalls = 0;
  for (const lease of books.listLeasesOf(accountId)) {
    if (lease.state === 'draining' || (keyId !== undefined && lease.key_id !== keyId)) continue;
    const state = lease.instance === instance ? 'draining' : 'recalled';
    if (state === 'recalled') pendingRecalls += 1;
    if (lease.state !== state) books.writeLease(Object.assign(lease, { state }));
  }
  return pendingRecalls;
}

/**
 * Places a hold for a call that runs already, and writes down what it has used. It asks for no leave: the call was let in. Where
 * the wallet or the limit of its key has too little beside the lease, the call stays with that.
 */
export function decidePromotion(
  input: PromoteInput,
  instance: string,
  books: WorkingBooks,
  times: LeaseTimes,
): PromoteResult {
  const wallet = books.findWallet(input.accountId);
  const earlier = books.findHold(input.callId);
  if (!wallet || books.findCallRecord(input.callId) || (earlier && earlier.state !== 'open')) {
    return { status: 'refused', reason: 'call_already_ended' };
  }
  if (!earlier) {
    const { amountMillicredits: amount } = input;
    const counter = books.spends.findCounter(books.findKey(input.keyId), input.facts.startedAtMs);
    const left = Math.min(availableIn(wallet), counter ? leftOf(counter) : Number.POSITIVE_INFINITY);
    if (left < amount) return { status: 'refused', reason: 'insufficient' };
    const leaseUntilMs = books.nowMs + times.leaseMs;
    const hold = makeHold(input, { amount, instance, leaseUntilMs, spendPeriod: counter?.period ?? null });
    if (counter) books.spends.reserve(counter, amount);
    hold.progress_prompt_tokens = input.promptTokens;
    hold.progress_completion_tokens = input.completionTokens;
    reserve(hold, books);
  }
  return { status: 'promoted', availableAfterMillicredits: toMillicredits(availableIn(wallet)) };
}

/**
 * Books a call against the lease that let it in: a receipt, and what was spent of the lease. Against a lease that has ended
 * nothing is booked any more; then the call is charged late, once, as far as the balance goes.
 */
export function settleOnLease(
  { callId, accountId, ending }: Omit<SettleInput, 'lease'>,
  { leaseId, keyId, facts, coveredMillicredits }: LeasedCall,
  books: WorkingBooks,
): SettleResult {
  const wallet = books.findWallet(accountId);
  if (!wallet) return { status: 'refused', reason: 'unknown_hold' };
  const found = books.findLease(leaseId);
  const lease = found?.wallet === accountId ? found : null;
  const ended = lease ? {} : { endedLeaseId: leaseId };
  const record = books.findCallRecord(callId);
  if (record) {
    const { charged_millicredits: charged, absorbed_millicredits: absorbed, held_millicredits: held } = record;
    // Whoever has not heard of the first commit counts now what it took out of the lease; of a late one there is no lease left.
    return {
      ...books.toSettled(wallet, { charged, absorbed, isReplay: true }),
      leasedMillicredits: Math.min(charged, held),
      ...ended,
    };
  }
  // Its receipt may have been removed because of its age, also by a clock that was ahead: a person decides, since it must not be booked twice.
  if (mayBeSealed(callId, books.nowMs) || books.isSealed(leaseId)) return { status: 'refused', reason: 'unknown_hold' };
  const spendPeriod = books.spends.findPeriod(keyId, facts.startedAtMs);
  const call = makeHold(
    { callId, accountId, keyId, facts },
    { amount: coveredMillicredits, instance: '', leaseUntilMs: 0, spendPeriod },
  );
  const cost = costOf(call, ending);
  const room = lease ? Math.min(coveredMillicredits, lease.amount - lease.spent) : 0;
  const fromLease = Math.min(cost, room);
  if (lease) {
    books.writeLease(Object.assign(lease, { spent: lease.spent + fromLease, calls: lease.calls + 1 }));
    books.spends.move(lease, { pending: -fromLease, spent: 0 });
    books.count(call, { pending: 0, spent: fromLease });
  }
  const beyond = books.chargeBalance(wallet, call, lease ? 'overage' : 'late', cost - fromLease);
  const charged = fromLease + beyond.charged;
  books.writeCallRecord({
    ...makeCallRecord(call, ending, { charged, absorbed: beyond.absorbed }),
    lease: leaseId,
    balance_after: books.balanceOf(wallet),
  });
  return {
    ...books.toSettled(wallet, { charged, absorbed: beyond.absorbed }),
    leasedMillicredits: fromLease,
    ...ended,
  };
}
