import { type EntityManager, In } from 'typeorm';
import { findUsedSince } from './read-wallet.js';
import { LedgerTransferEntity } from './tables/ledger-transfer.entity.js';

/** Credits that came in, and what was used since. */
export interface UseSince {
  readonly amountMillicredits: number;
  /** What the account had right after it, reservations not taken off, and less by what leases had spent that was not booked yet. */
  readonly balanceAfterMillicredits: number;
  /** What was used since: never less than 0. What running calls have reserved is not part of it, and later credits make it less. */
  readonly usedMillicredits: number;
}

/** What an account has used since a line of its journal; null: there is no such line in it. */
export async function findUseSince(
  transaction: EntityManager,
  { accountId, transferId }: { readonly accountId: string; readonly transferId: string },
): Promise<UseSince | null> {
  const line = await transaction.findOneBy(LedgerTransferEntity, { id: transferId, wallet: accountId });
  const usedMillicredits = line && (await findUsedSince(transaction, accountId, line.postedAfter));
  if (line === null || usedMillicredits === null) return null;
  return { amountMillicredits: line.amount, balanceAfterMillicredits: line.postedAfter, usedMillicredits };
}

/** Which of some lines of an account's journal was booked last, by its own order; null: none of them was. */
export async function findLastTransfer(
  transaction: EntityManager,
  { accountId, transferIds }: { readonly accountId: string; readonly transferIds: readonly string[] },
): Promise<string | null> {
  if (transferIds.length === 0) return null;
  const line = await transaction.findOne(LedgerTransferEntity, {
    select: { wallet: true, walletSeq: true, id: true },
    where: { wallet: accountId, id: In([...transferIds]) },
    order: { walletSeq: 'DESC' },
  });
  return line?.id ?? null;
}
