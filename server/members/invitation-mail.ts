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
    body: `${inviter} invited you to an account with the role ${role}. To answer, open this link within seven days and sign in or sign up with this address. If you do not know who that is, you can ignore this e-mail.`,
    linkId: id,
  };
}
