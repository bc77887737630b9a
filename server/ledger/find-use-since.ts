import type { EntityManager } from 'typeorm';
import { readWalletWithLeases } from './read-wallet.js';
import { LedgerTransferEntity } from './tables/ledger-transfer.entity.js';

/** Credits that came in, and what has gone since. */
export interface UseSince {
  readonly amountMillicredits: number;
  /** What the account could spend right after it. */
  readonly availableAfterMillicredits: number;
  /** What was used since: never less than 0. What running calls have reserved is not part of it, and later credits make it less. */
  readonly goneMillicredits: number;
}

/** What an account has used since a line of its journal; null: there is no such line in it. */
export async function findUseSince(
  transaction: EntityManager,
  { accountId, transferId }: { readonly accountId: string; readonly transferId: string },
): Promise<UseSince | null> {
  const line = await transaction.findOneBy(LedgerTransferEntity, { id: transferId, wallet: accountId });
  const wallet = line && (await readWalletWithLeases(transaction, accountId));
  if (!line || !wallet) return null;
  const spent = wallet.leases.reduce((sum, lease) => sum + lease.spent, 0);
  return {
    amountMillicredits: line.amount,
    availableAfterMillicredits: line.availableAfter,
    goneMillicredits: Math.max(0, line.postedAfter - (wallet.posted - spent)),
  };
}
