import type { EntityManager } from 'typeorm';
import { CallRecordEntity } from './call-record.entity.js';
import { LedgerHoldEntity } from './ledger-hold.entity.js';

/** What the books know of a call: it still holds credits; it was charged; or it was never held, or cost nothing. */
export type CallStanding = 'running' | 'charged' | 'free';

/** Tells how a call stands in the books. A settlement that waits for the database counts as running: its hold is open. */
export async function findCallStanding(reader: EntityManager, callId: string): Promise<CallStanding> {
  const hold = await reader.findOne(LedgerHoldEntity, { select: { id: true, state: true }, where: { id: callId } });
  if (hold?.state === 'open') return 'running';
  const receipt = await reader.findOne(CallRecordEntity, {
    select: { callId: true, chargedMillicredits: true },
    where: { callId },
  });
  return receipt !== null && receipt.chargedMillicredits > 0 ? 'charged' : 'free';
}
