import { type EntityManager, In, MoreThanOrEqual, Not } from 'typeorm';
import type { MembersSince, WithdrawnConsents } from '../accounts/account-deletion.js';
import { endActingSessions } from '../accounts/sign-in/session-service.js';
import { noteEvent } from '../audit/note-event.js';
import { holdAccountRow } from '../database/hold-account-row.js';
import { mayKeysWrite } from '../keys/maker-role.js';
import { InvitationEntity } from './invitation.entity.js';
import { MembershipEntity } from './membership.entity.js';
import { getMember, listRows, writeRole } from './membership-rows.js';
import type { PayersOfAccounts } from './payers-of-accounts.js';

/**
 * Ends memberships and invitations that came into an account since somebody else may have acted as its founder, in the transaction of the
 * caller, which has locked the account's row. What members from before have done stays, their invitations too. A founder whom an owner
 * from before has lowered ends only invitations of their own. Where all owners have come since, the founder owns the account again.
 * In whichever account, the founder's card that was saved since is forgotten, and an automatic top-up to which they have agreed since is off.
 */
export async function endMembersSince(
  transaction: EntityManager,
  { accountId, sinceMs, nowMs }: { readonly accountId: string; readonly sinceMs: number; readonly nowMs: number },
  payers: PayersOfAccounts,
): Promise<MembersSince> {
  const members = await listRows(transaction, accountId);
  const others = members.filter(({ personId }) => personId !== accountId);
  const earlier = others.filter((member) => (member.sinceMs ?? 0) < sinceMs);
  const { role } = getMember(members, accountId);
  const mayManage = mayKeysWrite(role) || !earlier.some((member) => member.role === 'owner');
  const ending = mayManage ? others.filter((member) => !earlier.includes(member)) : [];
  for (const { personId } of ending) {
    await transaction.delete(MembershipEntity, { accountId, personId });
    // Named by its table, since members know nobody who keeps it.
    await transaction.delete('personal_item', { accountId, personId });
    await endActingSessions(transaction, { actingAccountId: accountId, personId });
    await noteEvent(transaction, { accountId, kind: 'member_removed', subjectId: personId });
    await payers.endIfNoPayer(transaction, { accountId, personId });
  }
  const staying = others.filter((member) => !ending.includes(member));
  if (role !== 'owner' && mayManage && !staying.some((member) => member.role === 'owner')) {
    await writeRole(transaction, { accountId, personId: accountId, role: 'owner' }, nowMs);
    const detail = `${role} → owner`;
    await noteEvent(transaction, { accountId, kind: 'member_role_changed', subjectId: accountId, detail });
  }
  const earlierIds = staying.map(({ personId }) => personId);
  const endedInvitations = await endInvitations(transaction, { accountId, sinceMs, mayManage, earlierIds });
  const memberOf = await listElsewhere(transaction, accountId);
  // A key of theirs there may be about to make another one.
  for (const elsewhere of memberOf.toSorted()) await holdAccountRow(transaction, elsewhere);
  const since = { personId: accountId, sinceMs, cardsSinceMs: sinceMs };
  const { topUps, cards } = await endCardsSince(transaction, since, payers);
  const ended = { endedMembers: ending.length, endedInvitations, endedTopUps: topUps, endedCards: cards };
  return { mayManage, earlierIds, memberOf, ...ended };
}

/** As `PayersOfAccounts.endSince`, in every account of which a person is a member. */
export async function endCardsSince(
  transaction: EntityManager,
  of: WithdrawnConsents & { readonly cardsSinceMs: number | null },
  payers: PayersOfAccounts,
): Promise<{ readonly topUps: number; readonly cards: number }> {
  const sum = { topUps: 0, cards: 0 };
  // In one order, so that two who do so at once do not wait for each other.
  const accountIds = [of.personId, ...(await listElsewhere(transaction, of.personId))].toSorted();
  for (const accountId of accountIds) {
    const { topUps, cards } = await payers.endSince(transaction, { ...of, accountId });
    sum.topUps += topUps;
    sum.cards += cards;
  }
  return sum;
}

async function listElsewhere(transaction: EntityManager, personId: string): Promise<readonly string[]> {
  const rows = await transaction.findBy(MembershipEntity, { personId, accountId: Not(personId) });
  return rows.map(({ accountId }) => accountId);
}

// Also those by the founder into accounts of others, where nobody else is sure to look.
async function endInvitations(
  transaction: EntityManager,
  of: Pick<MembersSince, 'mayManage' | 'earlierIds'> & { readonly accountId: string; readonly sinceMs: number },
): Promise<number> {
  const { accountId, sinceMs, mayManage, earlierIds } = of;
  const createdAtMs = MoreThanOrEqual(sinceMs);
  const byOthers = { accountId, createdAtMs, invitedBy: Not(In([...earlierIds, ''])) };
  const byFounder = { invitedBy: accountId, createdAtMs };
  const rows = await transaction.findBy(InvitationEntity, mayManage ? [byFounder, byOthers] : byFounder);
  for (const { id, accountId: into, email } of rows) {
    await transaction.delete(InvitationEntity, { id });
    await noteEvent(transaction, { accountId: into, kind: 'invitation_revoked', subjectId: id, detail: email });
  }
  return rows.length;
}
