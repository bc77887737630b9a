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
  body: 'Somebody, hopefully you, wants this to be the address of their account. To confirm it, open this link within 24 hours and press the button there. If it was not you, do nothing.',
  linkId,
}));

/** To the address that is in force: somebody who knows the password wants another one. */
export const announceRequest = mailOf(({ linkId }) => ({
  subjectKey: `email-change-asked:${linkId}`,
  title: 'Another e-mail address was asked for',
  body: 'Somebody who knows your password asked for another e-mail address for your account. Nothing has changed yet. If it was not you, change your password now: that ends their sessions.',
}));

/** To the address that was in force: the link that takes the change back. */
export const mailUndo = mailOf(({ linkId }) => ({
  subjectKey: `undo-email:${linkId}`,
  title: 'The e-mail address of your account was changed',
  body: 'Your account has another e-mail address now, and is told nothing here any more. If it was you, do nothing. If it was not, open this link within a week: it gives your account this address back, ends every session and lets you choose a new password.',
  linkId,
}));

/** To the address that is in force from now on. */
export const tellOfChange = mailOf(({ linkId }) => ({
  subjectKey: `email-changed:${linkId}`,
  title: 'This is the e-mail address of your account now',
  body: 'From now on you sign in with this address, and are told here what you have asked for. Whoever reads mail at the address before may take the change back for a week.',
}));

/** To the address that is in force again. */
export const tellOfUndo = mailOf<MailFacts & Pick<EndedSince, 'words' | 'keyWords'>>(({ linkId, words, keyWords }) => ({
  subjectKey: `email-change-undone:${linkId}`,
  title: 'Your account has this e-mail address again',
  body: `The change of its address was taken back, a new password was chosen, and every session was ended. ${words} ${keyWords} What is from before the change was asked for stays: look in the settings whether you know each passkey, app, linked sign-in, webhook and member.`,
}));
