import { type EntityManager, IsNull } from 'typeorm';
import { noteEvent } from '../../audit/note-event.js';
import { voidLinks } from './account-links.js';

/**
 * Makes worthless whatever was begun on an account and could still be finished: mailed links to another password or address, those
 * whose mail has not left included; the second halves of sign-ins, proofs and new factors; an authenticator app without its first code;
 * the way back for lost factors. The link that takes a change of address back stays, and so does what is in force. In the caller's
 * transaction, which has written the account's row. Factors are named by their tables, since accounts know none.
 */
export async function voidWhatIsOpen(transaction: EntityManager, accountId: string): Promise<void> {
  await voidLinks(transaction, accountId);
  await transaction.delete('pending_proof', { accountId });
  await transaction.delete('authenticator_app', { accountId, confirmedAtMs: IsNull() });
  const { affected: recoveries } = await transaction.delete('factor_recovery', { accountId });
  if (recoveries) await noteEvent(transaction, { accountId, kind: 'factor_recovery_ended' });
}
