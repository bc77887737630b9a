import type { EntityManager } from 'typeorm';
import type { Ledger } from '../ledger.js';
import { CallRecordEntity } from '../tables/call-record.entity.js';
import { LedgerHoldEntity } from '../tables/ledger-hold.entity.js';

/** What is known of a call: it may still be charged; it was charged; or it was never held, or cost nothing. */
export type CallStanding = 'running' | 'charged' | 'free';

/**
 * Tells how a call stands. While its settlement waits on this machine's disk, for the database or for the operator, it counts as
 * running, whatever has become of its hold meanwhile.
 * @throws the database's error, or the disk's.
 */
export async function findCallStanding(
  {
    reader,
    ledger,
  }: {
    readonly reader: EntityManager;
    readonly ledger: Pick<Ledger, 'isSettlementWaiting'> & Partial<Pick<Ledger, 'leases'>>;
  },
  callId: string,
): Promise<CallStanding> {
  // Asked first: it stops waiting only after it has been booked.
  if (await ledger.isSettlementWaiting(callId)) return 'running';
  if (ledger.leases?.find(callId)) return 'running';
  const hold = await reader.findOne(LedgerHoldEntity, { select: { id: true, state: true }, where: { id: callId } });
  if (hold?.state === 'open') return 'running';
  const receipt = await reader.findOne(CallRecordEntity, {
    select: { callId: true, chargedMillicredits: true },
    where: { callId },
  });
  return receipt !== null && receipt.chargedMillicredits > 0 ? 'charged' : 'free';
}

/**
 * As `findCallStanding`, for a call of whose process nothing is heard and which is to be made again if it is free: that it is free is
 * then final, whatever its process does when it comes back.
 * @throws as `findCallStanding`; AppError `service_unavailable` when the database does not take it.
 */
export async function decideCallStanding(
  books: {
    readonly reader: EntityManager;
    readonly ledger: Pick<Ledger, 'isSettlementWaiting' | 'waiveCall'> & Partial<Pick<Ledger, 'leases'>>;
  },
  call: { readonly callId: string; readonly accountId: string },
): Promise<CallStanding> {
  const standing = await findCallStanding(books, call.callId);
  if (standing !== 'free') return standing;
  const { status } = await books.ledger.waiveCall(call);
  return status === 'waived' ? 'free' : status;
}
