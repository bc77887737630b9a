import { type EntityManager, IsNull } from 'typeorm';
import { holdAccountRow } from '../database/hold-account-row.js';
import { AppError, NotFoundError } from '../kernel/app-error.js';
import type { MemberRole } from '../kernel/member-role.js';
import type { Member } from './member-rules.js';
import { MembershipEntity } from './membership.entity.js';

export interface PersonOfAccount {
  readonly accountId: string;
  readonly personId: string;
}

/** What a person is in an account; null: no member of it. Whoever signed up for it owns it, unless a row says otherwise. */
export async function findRole(
  reader: EntityManager,
  { accountId, personId }: PersonOfAccount,
): Promise<MemberRole | null> {
  const row = await reader.findOneBy(MembershipEntity, { accountId, personId });
  return row?.role ?? (accountId === personId ? 'owner' : null);
}

/** Millicredits that a member's keys may spend together in a month; null: no budget. */
export async function findBudget(
  reader: EntityManager,
  { accountId, personId }: { readonly accountId: string; readonly personId: string },
): Promise<number | null> {
  const row = await reader.findOneBy(MembershipEntity, { accountId, personId });
  return row?.monthlyBudgetMillicredits ?? null;
}

/** Everybody in an account, whoever signed up for it first, then by when they joined. */
export async function listRows(reader: EntityManager, accountId: string): Promise<readonly Member[]> {
  const order = { createdAtMs: 'ASC', personId: 'ASC' } as const;
  const rows = await reader.find(MembershipEntity, { where: { accountId }, order });
  const founder = rows.find(({ personId }) => personId === accountId);
  const others = rows.filter((row) => row !== founder);
  return [
    { personId: accountId, role: founder?.role ?? 'owner', sinceMs: null, ...budgetOf(founder) },
    ...others.map((row) => ({
      personId: row.personId,
      role: row.role,
      sinceMs: row.createdAtMs,
      ...budgetOf(row),
    })),
  ];
}

/**
 * Makes changes of an account's members wait for each other, and for those of its keys: a member's keys may end with the
 * membership. Named by its table, as `keys/` does, which raises the same count.
 * @throws NotFoundError when the account is deleted.
 */
export async function lockMembers(transaction: EntityManager, accountId: string): Promise<void> {
  const { affected } = await transaction.increment(
    'account',
    { id: accountId, closedAtMs: IsNull() },
    'keyRevision',
    1,
  );
  if (affected !== 1) throw new NotFoundError('account');
}

/**
 * Makes changes of the members wait in every account of which a person is a member, until the caller's transaction ends. The accounts
 * are locked in the order of their ids, so that two people who go at once do not wait for each other.
 * @throws AppError `conflict` for somebody who became a member of one more meanwhile.
 */
export async function lockAccountsOf(transaction: EntityManager, personId: string): Promise<void> {
  // A write comes first: on SQLite a transaction that has read before may not write once another one was committed.
  await holdAccountRow(transaction, '');
  const findIds = async () => (await transaction.findBy(MembershipEntity, { personId })).map((row) => row.accountId);
  const ids = new Set([personId, ...(await findIds())]);
  for (const id of [...ids].toSorted()) await holdAccountRow(transaction, id);
  if ((await findIds()).every((id) => ids.has(id))) return;
  throw new AppError('conflict', 'You became a member of another account meanwhile. Try again.');
}

/** @throws NotFoundError for a person who is no member. */
export function getMember(members: readonly Member[], personId: string): Member {
  const member = members.find((one) => one.personId === personId);
  if (!member) throw new NotFoundError('member');
  return member;
}

/** Writes the role of a member, also of whoever had no row until now. */
export async function writeRole(
  transaction: EntityManager,
  { accountId, personId, role }: { readonly accountId: string; readonly personId: string; readonly role: MemberRole },
  nowMs: number,
): Promise<void> {
  const { affected } = await transaction.update(MembershipEntity, { accountId, personId }, { role });
  if (affected !== 1) await transaction.insert(MembershipEntity, { accountId, personId, role, createdAtMs: nowMs });
}

/** Writes the budget of a member, also of whoever had no row until now. */
export async function writeBudget(
  transaction: EntityManager,
  { accountId, personId, role }: { readonly accountId: string; readonly personId: string; readonly role: MemberRole },
  budget: { readonly monthlyBudgetMillicredits: number | null; readonly nowMs: number },
): Promise<void> {
  const { monthlyBudgetMillicredits, nowMs } = budget;
  const { affected } = await transaction.update(
    MembershipEntity,
    { accountId, personId },
    { monthlyBudgetMillicredits },
  );
  if (affected === 1) return;
  await transaction.insert(MembershipEntity, {
    accountId,
    personId,
    role,
    monthlyBudgetMillicredits,
    createdAtMs: nowMs,
  });
}

function budgetOf(row: MembershipEntity | undefined): Pick<Member, 'monthlyBudgetMillicredits'> {
  return { monthlyBudgetMillicredits: row?.monthlyBudgetMillicredits ?? null };
}
