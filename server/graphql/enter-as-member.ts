import { AppError } from '../kernel/app-error.js';
import type { MemberRole } from '../kernel/member-role.js';
import { type Access, everybody } from '../schema/access.js';
import type { Caller } from '../schema/graphql-context.js';

/**
 * The caller of an operation, acting on the account that it is about. Keys, who are judged by their scopes, and nobody pass as they are.
 * @throws AppError `role_required` for a member without one of the roles, naming them, and in another account for what is about
 *   one's own.
 */
export function enterAs(members: Access['members'], caller: Caller | null): Caller | null {
  if (!caller?.personId) return caller;
  const isAtHome = caller.accountId === caller.personId;
  if (members === 'person') return isAtHome ? caller : { ...caller, accountId: caller.personId, role: null };
  if (members === 'own account' && !isAtHome) {
    throw refuse(caller, ['owner'], 'This is about the account that you signed up with. Switch to it first.');
  }
  const needed = members === 'own account' ? (['owner'] as const) : members;
  if (caller.role !== null && needed.some((role) => role === caller.role)) return caller;
  const words = `You need the role ${needed.join(' or ')} for this. Yours is ${caller.role}. Ask an owner of the account.`;
  throw refuse(caller, needed, words);
}

/** What the description of an operation says of its roles; null: nothing. */
export function describeRoles(members: Access['members']): string | null {
  if (members === 'person' || members === everybody) return null;
  if (members === 'own account') return 'Roles: `owner`, of the account that one signed up with.';
  return `Roles: ${members.map((role) => `\`${role}\``).join(' or ')}.`;
}

function refuse({ role }: Caller, needed: readonly MemberRole[], words: string): AppError {
  return new AppError('role_required', words, { metadata: { role, needed: needed.join(' ') } });
}
