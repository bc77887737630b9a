import { type EntityManager, LessThan } from 'typeorm';
import { raiseMark } from '../database/raise-mark.js';
import { ToldFillingEntity } from './told-filling.entity.js';

/** A share that is used of the credits that came in last. */
export interface FillingShare {
  /** The number of these credits in the journal of the account: later ones have a greater one. */
  readonly walletSeq: number;
  readonly share: number;
}

/** Whether an account was told of this share of these credits, or of a greater one, however long ago. */
export async function wasFillingTold(
  reader: EntityManager,
  accountId: string,
  { walletSeq, share }: FillingShare,
): Promise<boolean> {
  const told = await reader.findOneBy(ToldFillingEntity, { accountId });
  return told !== null && (told.walletSeq > walletSeq || (told.walletSeq === walletSeq && told.share >= share));
}

/**
 * Notes in the caller's transaction what it tells of.
 * @returns false when it was told before. @throws a unique violation when another instance tells of an account's first one at this moment.
 */
export async function noteToldFilling(
  transaction: EntityManager,
  accountId: string,
  { walletSeq, share }: FillingShare,
): Promise<boolean> {
  const lower = [{ walletSeq: LessThan(walletSeq) }, { walletSeq, share: LessThan(share) }];
  return raiseMark(transaction, ToldFillingEntity, { whose: { accountId }, lower, mark: { walletSeq, share } });
}
