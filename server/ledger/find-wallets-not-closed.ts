import { type EntityManager, In, Not } from 'typeorm';
import { LedgerAccountEntity } from './tables/ledger-account.entity.js';

/** Those of these accounts whose wallet is neither closed nor about to be. */
export async function findWalletsNotClosed(reader: EntityManager, accountIds: readonly string[]): Promise<string[]> {
  const where = { id: In([...accountIds]), state: Not(In(['closing', 'closed'])) };
  const rows = await reader.find(LedgerAccountEntity, { select: { id: true }, where });
  return rows.map(({ id }) => id);
}
