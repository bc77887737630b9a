import type { MemberRole } from '../kernel/member-role.js';
import type { LinkMail } from '../kernel/texts/mail.js';

/** The mail of an invitation. Names are what people make up, so none stands in a mail to somebody who has not asked for it. */
export function describeInvitation(about: {
  id: string;
  accountId: string;
  email: string;
  role: MemberRole;
  inviter: string;
}): LinkMail {
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
