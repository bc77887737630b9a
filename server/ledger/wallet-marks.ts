import { In } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { LedgerAccountEntity } from './tables/ledger-account.entity.js';

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
    // What leases have spent and reserved moves the balance before it moves the wallet.
    .addSelect(
      "(SELECT COALESCE(SUM(lease.spent + lease.reserved), 0) FROM wallet_lease lease WHERE lease.wallet = wallet.id AND lease.state IN ('open', 'recalled', 'draining'))",
      'leased',
    )
    .where({ id: In([...accountIds]) })
    .getRawMany<{ id: string; posted: unknown; spent: unknown; held: unknown; leased: unknown }>();
  return new Map(wallets.map(({ id, posted, spent, held, leased }) => [id, `${posted} ${spent} ${held} ${leased}`]));
}
