import type { EntityManager } from 'typeorm';
import { LedgerAccountEntity } from './ledger-account.entity.js';

/** What a wallet has to spend and whether it is open, as the caller's transaction sees it; null: there is no such wallet. */
export async function readWallet(
  transaction: EntityManager,
  accountId: string,
): Promise<{ availableMillicredits: number; isOpen: boolean } | null> {
  const wallet = await transaction.findOneBy(LedgerAccountEntity, { id: accountId, kind: 'wallet' });
  if (!wallet) return null;
  const { creditsPosted, debitsPosted, debitsPending, state } = wallet;
  return { availableMillicredits: creditsPosted - debitsPosted - debitsPending, isOpen: state === 'open' };
}
