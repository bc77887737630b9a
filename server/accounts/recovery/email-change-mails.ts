import type { EntityManager } from 'typeorm';
import type { LinkOutbox } from './account-links.js';
import type { EndedSince } from './end-made-since.js';

interface MailFacts {
  readonly accountId: string;
  /** Where it goes. */
  readonly email: string;
  /** Of the link that it is about. */
  readonly linkId: string;
}

type Words = Omit<Parameters<LinkOutbox['put']>[1], 'accountId' | 'channel' | 'recipient'>;

/** What puts one kind of these mails into the outbox, in the caller's transaction. */
function mailOf<Facts extends MailFacts = MailFacts>(write: (facts: Facts) => Words) {
  return async (transaction: EntityManager, outbox: LinkOutbox, facts: Facts): Promise<void> => {
    const { accountId, email: recipient } = facts;
    await outbox.put(transaction, { accountId, channel: 'email', recipient, ...write(facts) });
  };
}

/** To the new address: the link that puts it in force. */
export const mailConfirmation = mailOf(({ linkId }) => ({
  subjectKey: `confirm-email:${linkId}`,
  title: 'Confirm your new e-mail address',
  body: 'Somebody, hopefully you, wants to use this address for their account. To confirm it, open this link within 24 hours and press the button there. If it was not you, you can ignore this e-mail.',
  linkId,
}));

/** To the address that is in force: somebody who knows the password wants another one. */
export const announceRequest = mailOf(({ linkId }) => ({
  subjectKey: `email-change-asked:${linkId}`,
  title: 'A change of your e-mail address was requested',
  body: 'Somebody who knows your password asked to change the e-mail address of your account. Nothing has changed yet. If it was not you, change your password now. That signs them out.',
}));

/** To the address that was in force: the link that takes the change back. */
export const mailUndo = mailOf(({ linkId }) => ({
  subjectKey: `undo-email:${linkId}`,
  title: 'The e-mail address of your account was changed',
  body: 'Your account now has another e-mail address, and no more mail about it is sent here. If it was you, you can ignore this e-mail. If it was not, open this link within a week: it restores this address, signs everybody out and lets you choose a new password.',
  linkId,
}));

/** To the address that is in force from now on. */
export const tellOfChange = mailOf(({ linkId }) => ({
  subjectKey: `email-changed:${linkId}`,
  title: 'This is the e-mail address of your account now',
  body: 'From now on, sign in with this address. Alerts are sent here as well. For a week, the change can be undone from the former address.',
}));

/** To the address that is in force again. */
export const tellOfUndo = mailOf<MailFacts & Pick<EndedSince, 'words' | 'keyWords'>>(({ linkId, words, keyWords }) => ({
  subjectKey: `email-change-undone:${linkId}`,
  title: 'Your account has this e-mail address again',
  body: `The change of address was undone, a new password was set, and all sessions were ended. ${words} ${keyWords} Anything older than the change stays. Check in the settings that you recognise every passkey, app, linked sign-in, webhook and member.`,
}));
