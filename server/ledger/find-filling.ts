import { In, IsNull, type Repository } from 'typeorm';
import { queryByIndex } from '../database/query-by-index.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { GrantType } from './ledger-types.js';
import { readWalletWithLeases } from './read-wallet.js';
import { LedgerTransferEntity } from './tables/ledger-transfer.entity.js';

/** The last time that credits came in, and what has gone since. */
export interface Filling {
  /** Numbers the filling within its account: a later one has a greater number. */
  readonly walletSeq: number;
  /** The balance right after it, what was left before included; more than 0. */
  readonly filledMillicredits: number;
  /** What was used, refunded or disputed since: never less than 0. What running calls have reserved is not part of it. */
  readonly goneMillicredits: number;
}

const creditsIn: readonly GrantType[] = ['purchase', 'grant', 'dispute_reversal', 'adjustment'];

/**
 * How much of the balance after the last credits in (a purchase, a gift, what was given back) an account has used.
 * @returns null when nothing came in yet, or all of it went into a debt.
 */
export async function findFilling({ reader }: UnitOfWork, accountId: string): Promise<Filling | null> {
  const journal: Repository<LedgerTransferEntity> = reader.getRepository(LedgerTransferEntity);
  const query = journal.createQueryBuilder('line').setFindOptions({
    select: { wallet: true, walletSeq: true, postedAfter: true },
    // Lines of credits in and taken back are told by having no hold, so that what was used is not read.
    where: { wallet: accountId, holdId: IsNull(), type: In([...creditsIn]), creditAccount: accountId },
    order: { walletSeq: 'DESC' },
    take: 1,
  });
  // The filling before the wallet: read the other way round, credits that come in between would look like gone.
  const [line] = await queryByIndex(query, 'ix_ledger_transfer_hold');
  const filledMillicredits = Number(line?.line_posted_after ?? 0);
  if (line === undefined || filledMillicredits <= 0) return null;
  const wallet = await readWalletWithLeases(reader, accountId);
  if (wallet === null) return null;
  const spent = wallet.leases.reduce((sum, lease) => sum + lease.spent, 0);
  const goneMillicredits = Math.max(0, filledMillicredits - (wallet.posted - spent));
  return { walletSeq: Number(line.line_wallet_seq), filledMillicredits, goneMillicredits };
}
