import type { EntityManager } from 'typeorm';
import { LedgerAccountEntity } from './tables/ledger-account.entity.js';

/** Opens the empty wallet of a new account, in the transaction that makes the account. */
export async function openWallet(transaction: EntityManager, accountId: string): Promise<void> {
  await transaction.insert(LedgerAccountEntity, {
    id: accountId,
    kind: 'wallet',
    state: 'open',
    frozenFor: null,
    creditsPosted: 0,
    debitsPosted: 0,
    debitsPending: 0,
    debt: 0,
    seq: 0,
  });
}
