import type { EntityManager } from 'typeorm';
import { isSessionThere } from '../accounts/sign-in/session-service.js';
import { holdAccountRow } from '../database/hold-account-row.js';
import { Standing } from '../database/standing.js';
import { AppError } from '../kernel/app-error.js';
import type { MemberRole } from '../kernel/member-role.js';
import { findScopes } from '../keys/maker-role.js';
import type { Caller } from '../schema/graphql-context.js';

/** Who knows what people are in accounts. */
export interface MembersOfCallers {
  findRole(
    of: { readonly accountId: string; readonly personId: string },
    transaction: EntityManager,
  ): Promise<MemberRole | null>;
}

/**
 * Mutations that take a password, a mailed link or nothing, and are the same without a session. They stand by what they take, also in a browser
 * whose session ends meanwhile.
 */
export const openMutations: ReadonlySet<string> = new Set([
  ...['confirmEmailChange', 'finishPasskeySignIn', 'finishProviderSignIn', 'finishSignIn', 'requestFactorRecovery'],
  ...['requestPasswordReset', 'resetPassword', 'signIn', 'signUp', 'startFactorRecovery', 'startPasskeySignIn'],
  ...['undoEmailChange', 'verifyEmail'],
]);

/** Whoever asks, by a session or a key, as they were let in. */
export function standingOf(caller: Caller, members: MembersOfCallers): Standing {
  const { accountId, personId } = caller;
  // In one order everywhere, so that two who wait do not wait for each other.
  const held = [...new Set([accountId, personId ?? accountId])].toSorted();
  return new Standing({
    turn: accountId,
    async hold(transaction) {
      for (const id of held) await holdAccountRow(transaction, id);
    },
    findRefusal: (transaction) => (caller.key ? findKeyRefusal : findPersonRefusal)(transaction, caller, members),
  });
}

async function findPersonRefusal(
  transaction: EntityManager,
  { accountId, personId, role, sessionId }: Caller,
  members: MembersOfCallers,
): Promise<AppError | null> {
  const id = personId ?? accountId;
  if (role !== null) {
    const now = await members.findRole({ accountId, personId: id }, transaction);
    if (now === null) return new AppError('forbidden', 'You are no longer a member of this account.');
    if (now !== role)
      return new AppError('forbidden', 'Your role was just changed. Nothing was changed. Reload the page.');
  }
  const isThere = sessionId !== null && (await isSessionThere(transaction, { accountId: id, sessionId }));
  return isThere
    ? null
    : new AppError('unauthenticated', 'This session has just ended. Nothing was changed. Sign in again.');
}

async function findKeyRefusal(
  transaction: EntityManager,
  { accountId, key }: Caller,
  members: MembersOfCallers,
): Promise<AppError | null> {
  if (key === null) return null;
  const { keyId, permissions } = key;
  const findRole = (personId: string) => members.findRole({ accountId, personId }, transaction);
  const scopes = await findScopes(transaction, { accountId, keyId }, findRole);
  if (scopes === null) return new AppError('invalid_api_key', 'This API key was revoked. Use another one.');
  if (permissions.scopes.every((scope) => scopes.includes(scope))) return null;
  return new AppError('forbidden', 'The permissions of this API key were just changed. Nothing was done. Try again.');
}
