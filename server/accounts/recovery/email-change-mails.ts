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

/** To the new address: the link that puts it in force. */
export async function mailConfirmation(
  transaction: EntityManager,
  outbox: LinkOutbox,
  { accountId, email, linkId }: MailFacts,
): Promise<void> {
  await outbox.put(transaction, {
    subjectKey: `confirm-email:${linkId}`,
    accountId,
    channel: 'email',
    recipient: email,
    title: 'Confirm your new e-mail address',
    body: 'Somebody, hopefully you, wants this to be the address of their account. To confirm it, open this link within 24 hours and press the button there. If it was not you, do nothing.',
    linkId,
  });
}

/** To the address that is in force: somebody who knows the password wants another one. */
export async function announceRequest(
  transaction: EntityManager,
  outbox: LinkOutbox,
  { accountId, email, linkId }: MailFacts,
): Promise<void> {
  await outbox.put(transaction, {
    subjectKey: `email-change-asked:${linkId}`,
    accountId,
    channel: 'email',
    recipient: email,
    title: 'Another e-mail address was asked for',
    body: 'Somebody who knows your password asked for another e-mail address for your account. Nothing has changed yet. If it was not you, change your password now: that ends their sessions.',
  });
}

/** To the address that was in force: the link that takes the change back. */
export async function mailUndo(
  transaction: EntityManager,
  outbox: LinkOutbox,
  { accountId, email, linkId }: MailFacts,
): Promise<void> {
  await outbox.put(transaction, {
    subjectKey: `undo-email:${linkId}`,
    accountId,
    channel: 'email',
    recipient: email,
    title: 'The e-mail address of your account was changed',
    body: 'Your account has another e-mail address now, and is told nothing here any more. If it was you, do nothing. If it was not, open this link within a week: it gives your account this address back, ends every session and lets you choose a new password.',
    linkId,
  });
}

/** To the address that is in force from now on. */
export async function tellOfChange(
  transaction: EntityManager,
  outbox: LinkOutbox,
  { accountId, email, linkId }: MailFacts,
): Promise<void> {
  await outbox.put(transaction, {
    subjectKey: `email-changed:${linkId}`,
    accountId,
    channel: 'email',
    recipient: email,
    title: 'This is the e-mail address of your account now',
    body: 'From now on you sign in with this address, and are told here what you have asked for. Whoever reads mail at the address before may take the change back for a week.',
  });
}

/** To the address that is in force again. */
export async function tellOfUndo(
  transaction: EntityManager,
  outbox: LinkOutbox,
  { accountId, email, linkId, words, keyWords }: MailFacts & Pick<EndedSince, 'words' | 'keyWords'>,
): Promise<void> {
  await outbox.put(transaction, {
    subjectKey: `email-change-undone:${linkId}`,
    accountId,
    channel: 'email',
    recipient: email,
    title: 'Your account has this e-mail address again',
    body: `The change of its address was taken back, a new password was chosen, and every session was ended. ${words} ${keyWords} What is from before the change was asked for stays: look in the settings whether you know each passkey, app, linked sign-in, webhook and member.`,
  });
}
