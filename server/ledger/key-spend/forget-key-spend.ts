import type { EntityManager } from 'typeorm';
import { KeySpendEntity } from '../tables/key-spend.entity.js';
import { LedgerAccountEntity } from '../tables/ledger-account.entity.js';

/**
 * Forgets what was counted against a key's spend limit, because the limit is lifted or gets another period. The counters are
 * sums of receipts and open holds, from which the next call under a limit makes them anew; so nothing is lost, and nothing
 * that is not kept up is left to be believed. To be called first in a transaction: it waits for the wallet's lock, so that no
 * batch of the ledger is half way between reading the key and writing its counters.
 */
export async function forgetKeySpend(
  transaction: EntityManager,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
): Promise<void> {
  await lockWallet(transaction, accountId);
  await transaction.delete(KeySpendEntity, { keyId });
}

/** Waits until no batch of the ledger is half way with this wallet, and keeps the next one waiting until the transaction ends. */
export async function lockWallet(transaction: EntityManager, accountId: string): Promise<void> {
  // Changes nothing; an UPDATE is the lock that both databases know.
  await transaction.update(LedgerAccountEntity, { id: accountId }, { kind: 'wallet' });
}
