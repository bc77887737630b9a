import { type EntityManager, In } from 'typeorm';
import { LedgerTransferEntity } from './tables/ledger-transfer.entity.js';

/** What was booked for an account under this name, in millicredits; null: nothing was. */
export async function findBookedAmount(
  reader: EntityManager,
  { accountId, transferId }: { readonly accountId: string; readonly transferId: string },
): Promise<number | null> {
  const line = await reader.findOneBy(LedgerTransferEntity, { id: transferId, wallet: accountId });
  return line?.amount ?? null;
}

/** Which of these names something was booked under, of whichever account. @param transferIds At most a thousand. */
export async function findBookedIds(
  reader: EntityManager,
  transferIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (transferIds.length === 0) return new Set();
  const lines = await reader.find(LedgerTransferEntity, {
    select: { wallet: true, walletSeq: true, id: true },
    where: { id: In([...transferIds]) },
  });
  return new Set(lines.map(({ id }) => id));
}
