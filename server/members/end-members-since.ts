import { type EntityManager, In, MoreThanOrEqual, Not } from 'typeorm';
import type { MembersSince } from '../accounts/account-deletion.js';
import { endActingSessions } from '../accounts/sign-in/session-service.js';
import { noteEvent } from '../audit/note-event.js';
import { mayKeysWrite } from '../keys/maker-role.js';
import { InvitationEntity } from './invitation.entity.js';
import { MembershipEntity } from './membership.entity.js';
import { getMember, listRows, writeRole } from './membership-rows.js';

/**
 * Ends memberships and invitations that came into an account since somebody else may have acted as its founder, in the transaction of the
 * caller, which has locked the account's row. What members from before have done stays, their invitations too. A founder whom an owner
 * from before has lowered ends only invitations of their own. Where all owners have come since, the founder owns the account again.
 */
export async function endMembersSince(
  transaction: EntityManager,
  { accountId, sinceMs, nowMs }: { readonly accountId: string; readonly sinceMs: number; readonly nowMs: number },
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
  }
  const staying = others.filter((member) => !ending.includes(member));
  if (role !== 'owner' && mayManage && !staying.some((member) => member.role === 'owner')) {
    await writeRole(transaction, { accountId, personId: accountId, role: 'owner' }, nowMs);
    const detail = `${role} → owner`;
    await noteEvent(transaction, { accountId, kind: 'member_role_changed', subjectId: accountId, detail });
  }
  const earlierIds = staying.map(({ personId }) => personId);
  const endedInvitations = await endInvitations(transaction, { accountId, sinceMs, mayManage, earlierIds });
  const rows = await transaction.findBy(MembershipEntity, { personId: accountId, accountId: Not(accountId) });
  const memberOf = rows.map((row) => row.accountId);
  return { mayManage, earlierIds, memberOf, endedMembers: ending.length, endedInvitations };
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
