import type { MemberRole } from '../kernel/member-role.js';

/** A mail whose link is made when it is sent. */
export interface InvitationMail {
  readonly subjectKey: string;
  readonly accountId: string;
  readonly channel: 'email';
  readonly recipient: string;
  readonly title: string;
  readonly body: string;
  readonly linkId: string;
}

/** The mail of an invitation. Names are what people make up, so none stands in a mail to somebody who has not asked for it. */
export function describeInvitation(about: {
  id: string;
  accountId: string;
  email: string;
  role: MemberRole;
  inviter: string;
}): InvitationMail {
  const { id, accountId, email, role, inviter } = about;
  return {
    subjectKey: `invitation:${id}`,
    accountId,
    channel: 'email',
    recipient: email,
    title: 'You are invited to an account on Tollgate',
    body: `${inviter} invites you to an account, with the role ${role}. To answer, open this link within seven days and sign in with this address, or sign up with it. If you do not know who that is, do nothing.`,
    linkId: id,
  };
}
