import { type EntityManager, IsNull } from 'typeorm';
import { noteEvent } from '../audit/note-event.js';
import { ApiKeyEntity } from './api-key.entity.js';

/**
 * Revokes the keys of an account that one person has made, in the transaction of the caller, which has locked the account's row and
 * notes the change for every instance.
 */
export async function endKeysOfPerson(
  transaction: EntityManager,
  { accountId, personId, nowMs }: { readonly accountId: string; readonly personId: string; readonly nowMs: number },
): Promise<void> {
  const rows = await transaction.findBy(ApiKeyEntity, { accountId, madeBy: personId, revokedAtMs: IsNull() });
  for (const { id, name, revision } of rows) {
    await transaction.update(ApiKeyEntity, { id }, { revokedAtMs: nowMs, revision: revision + 1 });
    await noteEvent(transaction, { accountId, kind: 'key_revoked', subjectId: id, detail: name });
  }
}
