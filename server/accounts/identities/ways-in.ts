import { type EntityManager, IsNull } from 'typeorm';
import { AppError } from '../../kernel/app-error.js';
import { AccountEntity } from '../account.entity.js';
import { isOfPassword } from '../sign-in/passwords.js';

/**
 * Judges, behind the removal of a way to sign in and in its transaction, whether another one is left: a password, a passkey, or a
 * linked provider. Two removals at once wait for each other.
 * @throws AppError `conflict` when none is; the caller's transaction must not be committed then.
 */
export async function assertWayIn(transaction: EntityManager, accountId: string): Promise<void> {
  const open = { id: accountId, closedAtMs: IsNull() };
  await transaction.update(AccountEntity, open, { keyRevision: () => 'key_revision + 1' });
  const account = await transaction.findOneBy(AccountEntity, open);
  if (account !== null && isOfPassword(account.passwordHash)) return;
  // Named by their tables, since accounts know no passkeys.
  for (const table of ['passkey', 'linked_identity']) {
    if (await transaction.existsBy(table, { accountId })) return;
  }
  const words = 'You could no longer sign in. Set a password first with “Forgot your password?” on the sign-in page.';
  throw new AppError('conflict', words);
}
