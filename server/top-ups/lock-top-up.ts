import type { EntityManager } from 'typeorm';
import { holdAccountRow } from '../database/hold-account-row.js';
import { AutoTopUpEntity } from './auto-top-up.entity.js';

/**
 * Locks how an account's automatic top-up is set up, until the caller's transaction ends: the account's own row first, then the settings.
 * Changes of members take them in this order, too, and a charge needs the account's row for the purchase that it writes; in the other
 * order each would wait for the other.
 * @returns the settings; null: there are none.
 */
export async function lockTopUp(transaction: EntityManager, accountId: string): Promise<AutoTopUpEntity | null> {
  await holdAccountRow(transaction, accountId);
  return lockSettings(transaction, accountId);
}

/**
 * The same without the account's row: for whoever has locked that, or the row of another account, and asks for no row of this account
 * from then on.
 */
export async function lockSettings(transaction: EntityManager, accountId: string): Promise<AutoTopUpEntity | null> {
  await transaction.increment(AutoTopUpEntity, { accountId }, 'revision', 1);
  return transaction.findOneBy(AutoTopUpEntity, { accountId });
}
