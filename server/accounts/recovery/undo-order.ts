import { type EntityManager, MoreThanOrEqual } from 'typeorm';
import { AccountLinkEntity } from './account-link.entity.js';

/**
 * Makes every link worthless by which a change of address could be undone that came after this one, and this one itself. An
 * earlier one stays: whoever had the account first decides last.
 */
export async function voidLaterUndoLinks(
  transaction: EntityManager,
  { accountId, id }: Readonly<Pick<AccountLinkEntity, 'accountId' | 'id'>>,
): Promise<void> {
  if (accountId === null) return;
  // Ids sort by the time of making.
  await transaction.delete(AccountLinkEntity, { accountId, purpose: 'undo_email', id: MoreThanOrEqual(id) });
}
