import type { EntityManager } from 'typeorm';
import { AccountEventEntity } from './account-event.entity.js';

/** Which session or key of a person did something of this kind to an account last; null: none that is known. */
export async function findLastActorId(
  reader: EntityManager,
  done: Readonly<Pick<AccountEventEntity, 'accountId' | 'kind' | 'detail' | 'personId'>>,
): Promise<string | null> {
  const { accountId, kind, detail, personId } = done;
  if (detail === null || personId === null) return null;
  const where = { accountId, kind, detail, personId };
  return (await reader.findOne(AccountEventEntity, { where, order: { id: 'DESC' } }))?.actorId ?? null;
}
