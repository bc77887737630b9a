import { In, IsNull, type Repository } from 'typeorm';
import { queryByIndex } from '../database/query-by-index.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { GrantType } from './ledger-types.js';
import { findUsedSince } from './read-wallet.js';
import { LedgerTransferEntity } from './tables/ledger-transfer.entity.js';

/** The last time that credits came in, and what was used since. */
export interface LastCredits {
  /** The number of their line in the journal of the account: later credits have a greater one. */
  readonly walletSeq: number;
  /** The balance right after it, what was left before included; more than 0. */
  readonly balanceMillicredits: number;
  /** What was used, refunded or disputed since: never less than 0. What running calls have reserved is not part of it. */
  readonly usedMillicredits: number;
}

const creditsIn: readonly GrantType[] = ['purchase', 'grant', 'dispute_reversal', 'adjustment'];

/**
 * How much of the balance after the last credits in (a purchase, a gift, what was given back) an account has used.
 * @returns null when nothing came in yet, or all of it went into a debt.
 */
export async function findLastCredits({ reader }: UnitOfWork, accountId: string): Promise<LastCredits | null> {
  const journal: Repository<LedgerTransferEntity> = reader.getRepository(LedgerTransferEntity);
  const query = journal.createQueryBuilder('line').setFindOptions({
    select: { wallet: true, walletSeq: true, postedAfter: true },
    // Lines of credits in and taken back are told by having no hold, so that what was used is not read.
    where: { wallet: accountId, holdId: IsNull(), type: In([...creditsIn]), creditAccount: accountId },
    order: { walletSeq: 'DESC' },
    take: 1,
  });
  // The line before the wallet: read the other way round, credits that come in between would look like used.
  const [line] = await queryByIndex(query, 'ix_ledger_transfer_hold');
  const balanceMillicredits = Number(line?.line_posted_after ?? 0);
  if (line === undefined || balanceMillicredits <= 0) return null;
  const usedMillicredits = await findUsedSince(reader, accountId, balanceMillicredits);
  return usedMillicredits === null
    ? null
    : { walletSeq: Number(line.line_wallet_seq), balanceMillicredits, usedMillicredits };
}
