import { randomBytes } from 'node:crypto';
import { type EntityManager, In, IsNull, LessThan, MoreThan, MoreThanOrEqual, Not } from 'typeorm';
import { isStanding } from '../../database/time/is-due.js';
import { findProvenMs } from '../../database/time/proven-by-rows.js';
import { AppError } from '../../kernel/app-error.js';
import { createId } from '../../kernel/ids.js';
import { hashText } from '../../kernel/texts/hash-text.js';
import type { LinkMail, Mail } from '../../kernel/texts/mail.js';
import { AccountEntity } from '../account.entity.js';
import { listSpellings } from '../mailbox.js';
import { AccountLinkEntity, type LinkPurpose } from './account-link.entity.js';

const dayMs = 24 * 60 * 60_000;
/** How long the address that an account had stays its owner's, who may take the change back meanwhile. */
const undoLifetimeMs = 7 * dayMs;
/** How long a link of each purpose is good. */
export const linkLifetimesMs: Readonly<Record<LinkPurpose, number>> = {
  reset_password: 30 * 60_000,
  confirm_email: dayMs,
  undo_email: undoLifetimeMs,
};
// The outbox tries for about a day, and then the link lives for a day at most.
const requestKeptMs = 3 * dayMs;

/** The link of a mail that is about to leave. */
export interface SecretLink {
  readonly url: string;
  /** Where it is to be mailed; left out: where its notice says. */
  readonly to?: string;
  readonly accountId?: string;
  /** The operator's command that prints another one, where no mail is sent; null: there is none. */
  readonly command: string | null;
}

/** Where mails wait to be sent. */
export interface LinkOutbox {
  put(transaction: EntityManager, mail: LinkMail | Mail): Promise<boolean>;
}

type NewLink = Pick<AccountLinkEntity, 'accountId' | 'purpose' | 'email' | 'emailNormalised'>;

/**
 * Writes down that a link is to be mailed, and clears away what nobody can use any more. @returns its id.
 * @param createdAtMs Of a link to undo a change: when the change was asked for.
 */
export async function noteLink(
  transaction: EntityManager,
  link: NewLink,
  nowMs: number,
  createdAtMs = nowMs,
): Promise<string> {
  const provenMs = await findProvenMs(transaction, AccountLinkEntity, { column: 'createdAtMs', nowMs });
  const isOver = { purpose: Not('undo_email' as const), createdAtMs: LessThan(provenMs - requestKeptMs) };
  await transaction.delete(AccountLinkEntity, isOver);
  const isLate = { createdAtMs: LessThan(provenMs - undoLifetimeMs), expiresAtMs: LessThan(provenMs) };
  await transaction.delete(AccountLinkEntity, isLate);
  const id = createId('accountLink');
  const expiresAtMs = link.purpose === 'undo_email' ? nowMs + undoLifetimeMs : null;
  await transaction.insert(AccountLinkEntity, { id, ...link, tokenHash: null, createdAtMs, expiresAtMs });
  return id;
}

/** Makes the token of a link that is about to leave; an earlier one of the same link is worth nothing then. */
export async function giveToken(
  transaction: EntityManager,
  id: string,
  change: Partial<Pick<AccountLinkEntity, 'accountId' | 'emailNormalised' | 'expiresAtMs'>>,
): Promise<string> {
  const token = `tgl_${randomBytes(32).toString('base64url')}`;
  await transaction.update(AccountLinkEntity, { id }, { ...change, tokenHash: hashText(token) });
  return token;
}

/** Finds the link that a token belongs to, unless it is used, expired or for something else. Takes nothing. */
export async function findLink(
  reader: EntityManager,
  { token, purpose, nowMs }: { token: string; purpose: LinkPurpose; nowMs: number },
): Promise<AccountLinkEntity | null> {
  // One that undoes a change is its owner's defence, and may outlive its week.
  const isOpen = purpose === 'undo_email' ? MoreThan(nowMs) : isStanding(nowMs, linkLifetimesMs[purpose]);
  return reader.findOneBy(AccountLinkEntity, { tokenHash: hashText(token), purpose, expiresAtMs: isOpen });
}

/**
 * Takes the token of a link, in the caller's transaction. Of several who come with it at once, one is given the account.
 * @returns null for everybody else, and when the account is gone.
 */
export async function takeLink(
  transaction: EntityManager,
  asked: { token: string; purpose: LinkPurpose; nowMs: number },
): Promise<{ readonly link: AccountLinkEntity; readonly account: AccountEntity } | null> {
  const link = await findLink(transaction, asked);
  if (link === null || link.accountId === null) return null;
  const used = { id: link.id, tokenHash: hashText(asked.token) };
  const { affected } = await transaction.update(AccountLinkEntity, used, { tokenHash: null });
  if (affected !== 1) return null;
  const account = await transaction.findOneBy(AccountEntity, { id: link.accountId, closedAtMs: IsNull() });
  return account && { link, account };
}

/**
 * Makes every link worthless by which an account's password or address could still be changed, also those whose mail has not left;
 * that to undo stays.
 */
export async function voidLinks(transaction: EntityManager, accountId: string): Promise<void> {
  const purpose = In(['reset_password', 'confirm_email'] satisfies LinkPurpose[]);
  await transaction.delete(AccountLinkEntity, { accountId, purpose });
  const account = await transaction.findOneBy(AccountEntity, { id: accountId, closedAtMs: IsNull() });
  if (account === null) return;
  // Of a reset that was asked for nobody has looked yet whose it is.
  const emailNormalised = In([...listSpellings(account.email)]);
  await transaction.delete(AccountLinkEntity, { accountId: IsNull(), emailNormalised, purpose: 'reset_password' });
}

/**
 * Makes every link worthless by which a change of address could be undone that came after this one, and this one itself. An
 * earlier one stays: whoever had the account first decides last.
 */
export async function voidLaterUndoLinks(
  transaction: EntityManager,
  { accountId, id }: Readonly<Pick<AccountLinkEntity, 'accountId' | 'id'>>,
): Promise<void> {
  if (accountId === null) return;
  // Ids sort by the time of making.
  await transaction.delete(AccountLinkEntity, { accountId, purpose: 'undo_email', id: MoreThanOrEqual(id) });
}

/** Whether an address was another account's within the last week, whose owner may still take it back. */
export async function isKeptForOwner(
  reader: EntityManager,
  { id, email }: Readonly<Pick<AccountEntity, 'id' | 'email'>>,
  nowMs: number,
): Promise<boolean> {
  const emailNormalised = In([...listSpellings(email)]);
  const kept = { emailNormalised, purpose: 'undo_email' as const, expiresAtMs: MoreThan(nowMs), accountId: Not(id) };
  return reader.existsBy(AccountLinkEntity, kept);
}

/** In the same words for a wrong, a used and an old one. @param remedy what to do instead, as a sentence. */
export function refuseLink(lifetime: string, remedy: string): AppError {
  return new AppError('not_found', `This link is wrong, used already, or older than ${lifetime}. ${remedy}`, {
    param: 'token',
  });
}
