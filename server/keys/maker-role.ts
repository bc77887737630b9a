import { type EntityManager, IsNull } from 'typeorm';
import { noteEvent } from '../audit/note-event.js';
import { type ActingKey, isWriteScope, type KeyScope, mayWrite } from '../kernel/api-key.js';
import { AppError } from '../kernel/app-error.js';
import type { MemberRole } from '../kernel/member-role.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { readPermissions } from './key-permissions.js';

/**
 * Whether keys of a member with this role may write: a key outlives the session that made it, so that takes a maker who may do all
 * that such scopes do.
 */
export function mayKeysWrite(role: MemberRole): boolean {
  return role === 'owner' || role === 'admin';
}

/**
 * A key as it may act while its maker has this role: without the scopes that write where the role has none. What it may call and read
 * stays, since programs of the account use it.
 * @param role null: the maker is no member any more. The key belongs to the account, and acts as it is.
 */
export function actForMaker<Key extends ActingKey>(key: Key, role: MemberRole | null): Key {
  if (role === null || mayKeysWrite(role)) return key;
  const scopes = key.permissions.scopes.filter((scope) => !isWriteScope(scope));
  return { ...key, permissions: { ...key.permissions, scopes }, withheldFor: role };
}

/**
 * The scopes of a key as it may act now, in a transaction that has locked the account's row; null: it was revoked.
 * @param findRole What its maker is in the account; null: no member any more.
 */
export async function findScopes(
  transaction: EntityManager,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
  findRole: (personId: string) => Promise<MemberRole | null>,
): Promise<readonly KeyScope[] | null> {
  const row = await transaction.findOneBy(ApiKeyEntity, { id: keyId, accountId, revokedAtMs: IsNull() });
  if (row === null) return null;
  const key = { keyId, permissions: readPermissions(row) };
  if (!mayWrite(key.permissions.scopes)) return key.permissions.scopes;
  return actForMaker(key, await findRole(row.madeBy ?? accountId)).permissions.scopes;
}

/** @throws AppError `role_required` where a key lacks the scopes that are needed only for the role of its maker. */
export function requireMakersRole({ permissions, withheldFor }: ActingKey, ...needed: readonly KeyScope[]): void {
  if (withheldFor === undefined || !needed.some(isWriteScope)) return;
  if (needed.some((scope) => permissions.scopes.includes(scope))) return;
  throw new AppError(
    'role_required',
    `The member who made this API key now has the role ${withheldFor}, and a key that writes needs the role owner or admin. Ask one of them for a key.`,
    { metadata: { role: withheldFor, needed: 'owner admin' } },
  );
}

/**
 * Takes the scopes that write from the keys that a person has made in an account, in the transaction of the caller, which has locked
 * the account's row and notes the change for every instance: for a member whose role has none, and who goes. Otherwise whoever was
 * lowered had them back by leaving. A key that has no other scope is revoked.
 * @returns whether any key was changed.
 */
export async function endWriteScopes(
  transaction: EntityManager,
  { accountId, personId, nowMs }: { readonly accountId: string; readonly personId: string; readonly nowMs: number },
): Promise<boolean> {
  const rows = await transaction.findBy(ApiKeyEntity, { accountId, madeBy: personId, revokedAtMs: IsNull() });
  let isChanged = false;
  for (const { id, name, revision, scopes } of rows) {
    const kept = (scopes.split(' ') as KeyScope[]).filter((scope) => !isWriteScope(scope)).join(' ');
    if (kept === scopes) continue;
    const change = kept === '' ? { revokedAtMs: nowMs } : { scopes: kept };
    await transaction.update(ApiKeyEntity, { id }, { ...change, revision: revision + 1 });
    const kind = kept === '' ? 'key_revoked' : 'key_changed';
    await noteEvent(transaction, { accountId, kind, subjectId: id, detail: name });
    isChanged = true;
  }
  return isChanged;
}
