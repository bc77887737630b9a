import { In } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { LedgerAccountEntity } from './ledger-account.entity.js';

/** Accounts by their wallets' marks: a text that is another one whenever the balance is. */
export async function findWalletMarks(
  { reader }: Pick<UnitOfWork, 'reader'>,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wallets = await reader
    .createQueryBuilder(LedgerAccountEntity, 'wallet')
    .select('wallet.id', 'id')
    .addSelect('wallet.credits_posted', 'posted')
    .addSelect('wallet.debits_posted', 'spent')
    .addSelect('wallet.debits_pending', 'held')
    .where({ id: In([...accountIds]) })
    .getRawMany<{ id: string; posted: unknown; spent: unknown; held: unknown }>();
  return new Map(wallets.map(({ id, posted, spent, held }) => [id, `${posted} ${spent} ${held}`]));
}
