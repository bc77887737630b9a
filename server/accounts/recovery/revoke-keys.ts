import { type EntityManager, IsNull, MoreThanOrEqual } from 'typeorm';
import type { EventsSince } from '../../audit/events-since.js';
import { noteEvent } from '../../audit/note-event.js';
import type { KeyEndings } from '../account-deletion.js';

/** Of the keys that end, what is known here: keys are named by their table, since accounts know none. */
interface KeyRow {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly madeBy: string | null;
  readonly revokedAtMs: number | null;
}

/** Whose keys end, and when. */
interface Revocation {
  readonly accountId: string;
  readonly nowMs: number;
  /** Whether the person who signed up for the account may manage its keys by their present role. */
  readonly mayManage: boolean;
}

/**
 * Revokes every key of an account that still works, in the caller's transaction, which has written the account's row. Where the person
 * may not manage the keys, those that they have made themselves, and no others.
 */
export async function revokeKeys(transaction: EntityManager, revocation: Revocation): Promise<void> {
  const { accountId, nowMs, mayManage } = revocation;
  if (!mayManage) {
    await revokeEach(transaction, revocation, (await findOwn(transaction, revocation)).filter(isOwnOf(accountId)));
    return;
  }
  await transaction.update('api_key', { accountId, revokedAtMs: IsNull() }, { revokedAtMs: nowMs });
  await noteEvent(transaction, { accountId, kind: 'all_keys_revoked' });
}

/**
 * Revokes the keys of an account that were made or rotated since, but by members from before; where the person may not manage the keys,
 * only their own of these. @returns how many.
 */
export async function revokeKeysSince(
  transaction: EntityManager,
  revocation: Revocation & { readonly sinceMs: number; readonly events: EventsSince },
): Promise<number> {
  const { accountId, events, mayManage, sinceMs } = revocation;
  const mayStay = ({ id, createdAtMs }: KeyRow) =>
    events.provesNone(['key_created', 'key_rotated'], id) &&
    (createdAtMs < sinceMs || events.isByTrusted('key_created', id));
  const rows = await findOwn(transaction, revocation);
  const ending = rows.filter((row) => (mayManage || isOwnOf(accountId)(row)) && !mayStay(row));
  await revokeEach(transaction, revocation, ending);
  return ending.length;
}

/** Revokes the keys that a person has made since in an account of others. @returns how many. */
export async function revokeKeysElsewhere(
  transaction: EntityManager,
  of: { readonly personId: string; readonly accountId: string; readonly sinceMs: number; readonly nowMs: number },
): Promise<number> {
  const { accountId, nowMs, personId, sinceMs } = of;
  const made = { accountId, madeBy: personId, createdAtMs: MoreThanOrEqual(sinceMs), revokedAtMs: IsNull() };
  const rows = await transaction.find<KeyRow>('api_key', { where: made });
  await revokeEach(transaction, { accountId, nowMs }, rows);
  return rows.length;
}

/** Has every instance told that keys of these accounts ended. @returns what `keyChanges.takenOver` is to be asked with behind the commit. */
export async function noteEndedKeys(
  transaction: EntityManager,
  accountIds: readonly string[],
  keyChanges: KeyEndings,
): Promise<readonly unknown[]> {
  const noted = [];
  for (const accountId of accountIds) noted.push(await keyChanges.note(transaction, { accountId, keyId: null }));
  return noted;
}

/** What became of the keys, as a sentence of a mail to the owner. */
export function describeKeys({ isEveryKey, mayManage }: { isEveryKey: boolean; mayManage: boolean }): string {
  if (!isEveryKey) return 'Your other API keys go on: look whether you know each of them.';
  if (mayManage) return 'Every API key was revoked.';
  return 'The API keys that you made were revoked; those of others go on, since you do not manage the account.';
}

async function findOwn(transaction: EntityManager, { accountId }: Revocation): Promise<KeyRow[]> {
  return transaction.find<KeyRow>('api_key', { where: { accountId, revokedAtMs: IsNull() } });
}

// Without a maker it is of the account's first owner, from before there were members.
function isOwnOf(accountId: string) {
  return ({ madeBy }: KeyRow) => (madeBy ?? accountId) === accountId;
}

async function revokeEach(
  transaction: EntityManager,
  { accountId, nowMs }: Pick<Revocation, 'accountId' | 'nowMs'>,
  rows: readonly KeyRow[],
): Promise<void> {
  for (const { id, name } of rows) {
    await transaction.update('api_key', { id, accountId }, { revokedAtMs: nowMs });
    await noteEvent(transaction, { accountId, kind: 'key_revoked', subjectId: id, detail: name });
  }
}
