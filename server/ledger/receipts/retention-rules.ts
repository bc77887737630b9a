import { isId, timeOfId } from '../../kernel/ids.js';
import { retentionDaysMin } from '../../kernel/settings/retention-days.js';
import { monthOf } from '../../kernel/spend-period.js';

const dayMs = 86_400_000;

/** Below it by more than clocks differ: before then every booked call has its receipt. */
const receiptSureMs = (retentionDaysMin - 2) * dayMs;

/** Receipts of calls that began before it may be removed: whole months, each of whose days is past its time. 0: none, as where no time has surely come. */
export function findRetentionEnd(nowMs: number, retentionDays: number): number {
  return Math.max(0, monthOf(nowMs - retentionDays * dayMs));
}

/** Whether a call is so old that a missing receipt does not prove that it was never booked. */
export function mayBeSealed(callId: string, nowMs: number): boolean {
  return isId('call', callId) && nowMs - timeOfId(callId) > receiptSureMs;
}
