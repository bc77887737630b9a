import type { EntityManager } from 'typeorm';
import { LedgerTransferEntity } from './tables/ledger-transfer.entity.js';

/** What was booked for an account under this name, in millicredits; null: nothing was. */
export async function findBookedAmount(
  reader: EntityManager,
  { accountId, transferId }: { readonly accountId: string; readonly transferId: string },
): Promise<number | null> {
  const line = await reader.findOneBy(LedgerTransferEntity, { id: transferId, wallet: accountId });
  return line?.amount ?? null;
}
