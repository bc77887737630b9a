import { type EntityManager, MoreThan } from 'typeorm';
import { LedgerAccountEntity } from './tables/ledger-account.entity.js';

const kind = 'wallet' as const;

/** The accounts that have a wallet, in the order of their ids. @param after Those behind this one. @param first At most so many. */
export async function listWallets(
  reader: EntityManager,
  { after, first }: { readonly after: string; readonly first: number },
): Promise<readonly string[]> {
  const where = { kind, id: MoreThan(after) };
  const rows = await reader.find(LedgerAccountEntity, {
    select: { id: true },
    where,
    order: { id: 'ASC' },
    take: first,
  });
  return rows.map(({ id }) => id);
}

export function hasWallet(reader: EntityManager, id: string): Promise<boolean> {
  return reader.existsBy(LedgerAccountEntity, { kind, id });
}
