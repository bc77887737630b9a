import { AppError } from '../kernel/app-error.js';
import type { MemberRole } from '../kernel/member-role.js';

/** A person in an account. */
export interface Member {
  /** The account that the person signed up with. */
  readonly personId: string;
  readonly role: MemberRole;
  /** Since when; null: since there is the account. */
  readonly sinceMs: number | null;
  /** What the keys that they have made may spend together in a month of the calendar; null: as much as the account. */
  readonly monthlyBudgetMillicredits: number | null;
}

/**
 * Beside the roles that each operation names, for what only the rows can tell.
 * @throws AppError `role_required`, naming the roles of which one is needed.
 */
export function requireOneOf(role: MemberRole, needed: readonly MemberRole[], what: string): void {
  if (needed.includes(role)) return;
  const names = needed.join(' or ');
  throw new AppError('role_required', `${what}, you need the role ${names}. Yours is ${role}. Ask an owner.`, {
    metadata: { role, needed: needed.join(' ') },
  });
}

/** Owners and admins change members; what has to do with an owner, an owner does. @throws AppError `role_required`. */
export function requireMayChange(by: MemberRole, target: MemberRole, wanted: MemberRole | null): void {
  requireOneOf(by, ['owner', 'admin'], 'To change members');
  if (target === 'owner' || wanted === 'owner') requireOneOf(by, ['owner'], 'To make, change or remove an owner');
}

/** @throws AppError `conflict` when nobody else owns the account. */
export function requireAnotherOwner(members: readonly Member[], leavingId: string): void {
  if (members.some(({ personId, role }) => role === 'owner' && personId !== leavingId)) return;
  throw new AppError(
    'conflict',
    'An account needs an owner, and this is the last one. Hand it over to a member first.',
  );
}

/** @throws AppError `conflict` for the person who signs in by the account itself. */
export function requireNotFounder(accountId: string, personId: string): void {
  if (accountId !== personId) return;
  const words =
    'The person who signed up for this account signs in by it, and stays a member. Hand the account over, or give them the role viewer.';
  throw new AppError('conflict', words);
}
