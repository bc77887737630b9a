import { isLeaseOver } from '../../database/time/has-come.js';
import { holdLeaseMsMax } from '../../kernel/clock.js';
import { expireLease, isLease, settleOnLease } from '../leases/decide-lease.js';
import { creditLeaseMsMax, timesOfCredits } from '../leases/lease-times.js';
import type { ExpiredHold, RenewInput, RenewResult, SettleInput, SettleResult } from '../ledger-types.js';
import type { LeaseTimes } from './decide-batch.js';
import { costOf, makeCallRecord, makeExpiredEnding } from './make-rows.js';
import type { WorkingBooks } from './working-books.js';

/** Ends a call: out of its hold, out of the lease that let it in, or, late, out of what is available. */
export function decideSettlement({ callId, accountId, ending, lease }: SettleInput, books: WorkingBooks): SettleResult {
  const { hold, wallet } = books.findHoldWithWallet(callId);
  // One that ran for long has a hold of its own meanwhile.
  if (!hold && lease) return settleOnLease({ callId, accountId, ending }, lease, books);
  if (!hold || !wallet) return { status: 'refused', reason: 'unknown_hold' };
  const cost = costOf(hold, ending);
  if (hold.state === 'expired' && !books.isBooked(`${callId}:late`)) {
    // The process that ran the call was taken for dead, and is back with the true figure.
    const { charged, absorbed } = books.chargeBalance(wallet, hold, 'late', Math.max(0, cost - hold.posted));
    // When more was charged at expiry than was used, the tokens of the receipt stay the ones that were charged.
    const isMore = cost >= hold.posted;
    books.writeCallRecord(
      makeCallRecord(hold, isMore ? ending : { ...ending, ...tokensOf(books, callId) }, {
        charged: hold.posted + charged,
        absorbed,
      }),
    );
    return books.toSettled(wallet, { charged: hold.posted + charged, absorbed });
  }
  if (hold.state !== 'open') return replaySettlement(callId, books);

  const fromHold = Math.min(cost, hold.amount);
  books.resolveHold(hold, wallet, cost === 0 ? 'released' : 'settled', fromHold);
  const over = books.chargeBalance(wallet, hold, 'overage', cost - fromHold);
  const charged = fromHold + over.charged;
  books.writeCallRecord(makeCallRecord(hold, ending, { charged, absorbed: over.absorbed }));
  return books.toSettled(wallet, { charged, absorbed: over.absorbed });
}

function tokensOf(books: WorkingBooks, callId: string) {
  const record = books.findCallRecord(callId);
  return { promptTokens: record?.prompt_tokens ?? 0, completionTokens: record?.completion_tokens ?? 0 };
}

function replaySettlement(callId: string, books: WorkingBooks): SettleResult {
  const { hold, wallet } = books.findHoldWithWallet(callId);
  if (!hold || !wallet) return { status: 'refused', reason: 'unknown_hold' };
  const record = books.findCallRecord(callId);
  const charged = record?.charged_millicredits ?? hold.posted;
  return books.toSettled(wallet, { charged, absorbed: record?.absorbed_millicredits ?? 0, isReplay: true });
}

export function decideVoid(callId: string, books: WorkingBooks): SettleResult {
  const { hold, wallet } = books.findHoldWithWallet(callId);
  if (!hold || !wallet) return { status: 'refused', reason: 'unknown_hold' };
  if (hold.state !== 'open') return replaySettlement(callId, books);
  books.resolveHold(hold, wallet, 'released', 0);
  return books.toSettled(wallet, { charged: 0 });
}

export function decideRenewal(input: RenewInput, books: WorkingBooks, times: LeaseTimes): RenewResult {
  const hold = books.findHold(input.callId);
  if (hold?.state !== 'open') return { status: 'refused', reason: 'not_open' };
  hold.lease_until_ms = books.nowMs + times.leaseMs;
  hold.progress_prompt_tokens = input.promptTokens;
  hold.progress_completion_tokens = input.completionTokens;
  books.changeHold(hold);
  return { status: 'renewed' };
}

/** Charges a call, whose process is gone, for what it had provably used; nothing more is known. */
export function decideExpiry(
  { callId, isOwnerGone = false }: ExpiredHold,
  books: WorkingBooks,
  times: LeaseTimes,
): SettleResult {
  const { hold, wallet } = books.findHoldWithWallet(callId);
  if (!hold || !wallet) return { status: 'refused', reason: 'unknown_hold' };
  const isOver = isLease(hold)
    ? isLeaseOver(hold.lease_until_ms, books.nowMs, timesOfCredits(times).graceMs, creditLeaseMsMax)
    : isLeaseOver(hold.lease_until_ms, books.nowMs, times.graceMs, holdLeaseMsMax);
  const isOverdue = isOwnerGone || isOver;
  if (hold.state !== 'open' || !isOverdue) return replaySettlement(callId, books);
  if (isLease(hold)) return books.toSettled(wallet, { charged: expireLease(hold, wallet, books) });
  const ending = makeExpiredEnding(hold, books.nowMs);
  const charged = costOf(hold, ending);
  books.resolveHold(hold, wallet, 'expired', charged);
  books.writeCallRecord(makeCallRecord(hold, ending, { charged, absorbed: 0 }));
  return books.toSettled(wallet, { charged });
}
