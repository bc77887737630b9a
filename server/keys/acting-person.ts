import type { EntityManager } from 'typeorm';
import { type ActingKey, type KeyPermissions, type KeyScope, mayWrite } from '../kernel/api-key.js';
import { AppError } from '../kernel/app-error.js';
import type { MemberRole } from '../kernel/member-role.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { readPermissions } from './key-permissions.js';
import { mayKeysWrite } from './maker-role.js';

/** A person who acts on the keys of an account. */
export interface ActingPerson {
  /** By the account that they signed up with. */
  readonly personId: string;
  readonly role: MemberRole;
  /** false: they were asked for no fresh proof, since the key had no scope that writes when it was looked at. */
  readonly isProved?: boolean;
}

/** Who knows the members of accounts. */
export interface MembersOfKeys {
  /** @throws AppError `forbidden` for somebody who has just ceased to be a member. */
  requireMember(
    transaction: EntityManager,
    of: { readonly accountId: string; readonly personId: string },
  ): Promise<void>;
  /** Millicredits that a member's keys may spend in a month; null: no budget. */
  findBudget(
    transaction: EntityManager,
    of: { readonly accountId: string; readonly personId: string },
  ): Promise<number | null>;
}

/** In whose name a key is made, and the budget that it shares with their other keys. */
export interface KeyMaker {
  readonly madeBy: string | null;
  readonly makerBudgetMillicredits: number | null;
}

/**
 * A developer makes keys that call and read, and changes only those of their own: a key that writes would do what the role does
 * not, and the secret of somebody else's key is not theirs to have.
 * @param row The key as it stands; null: it is about to be made.
 * @throws AppError `role_required`; `conflict` when a proof would have been asked for, had the key been as it is now.
 */
export function requirePersonMay(
  { personId, role, isProved }: ActingPerson,
  row: ApiKeyEntity | null,
  wanted: KeyPermissions | null,
): void {
  const isWriting = [wanted, row && readPermissions(row)].some((one) => mayWrite(one?.scopes));
  if (isWriting && isProved === false) {
    throw new AppError('conflict', 'This key was just given a scope that writes. Look at it, and ask again.');
  }
  if (mayKeysWrite(role)) return;
  if (row !== null && (row.madeBy ?? row.accountId) !== personId)
    throw refuse(role, 'To change a key that somebody else created');
  if (isWriting) throw refuse(role, 'For a key with a scope that writes');
}

/** Whether a person may change, rotate and revoke a key, as `requirePersonMay` says. @param key whose account it is, and who made it. */
export function mayPersonChange(
  { personId, role }: ActingPerson,
  { accountId, madeBy, scopes }: { accountId: string; madeBy: string | null; scopes: readonly KeyScope[] },
): boolean {
  if (mayKeysWrite(role)) return true;
  return role === 'developer' && (madeBy ?? accountId) === personId && !mayWrite(scopes);
}

/**
 * The person in whose name a key is made: who asks, or whoever made the key that asks. Read behind the lock on the account's keys, so
 * that nothing is made by somebody, or by a key, that a change before it has ended.
 * @throws AppError `forbidden` or `invalid_api_key`.
 */
export async function findMaker(
  transaction: EntityManager,
  of: { readonly accountId: string; readonly by: ActingKey | null; readonly person: ActingPerson | null },
  members: MembersOfKeys | null,
): Promise<KeyMaker> {
  const { accountId, by, person } = of;
  if (person) {
    const { personId } = person;
    await members?.requireMember(transaction, { accountId, personId });
    const makerBudgetMillicredits = (await members?.findBudget(transaction, { accountId, personId })) ?? null;
    return { madeBy: personId, makerBudgetMillicredits };
  }
  if (!by) return { madeBy: null, makerBudgetMillicredits: null };
  const row = await transaction.findOneBy(ApiKeyEntity, { id: by.keyId, accountId });
  // Also of a maker who has gone: what their key makes is bounded as it is itself.
  if (row !== null && row.revokedAtMs === null) {
    return { madeBy: row.madeBy, makerBudgetMillicredits: row.makerBudgetMillicredits };
  }
  throw new AppError('invalid_api_key', 'This API key was revoked. Use another one.');
}

function refuse(role: MemberRole, what: string): AppError {
  return new AppError(
    'role_required',
    `${what}, you need the role owner or admin. Yours is ${role}. Ask one of them.`,
    {
      metadata: { role, needed: 'owner admin' },
    },
  );
}
