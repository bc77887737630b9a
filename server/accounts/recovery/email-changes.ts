import { createHash } from 'node:crypto';
import { type EntityManager, MoreThan } from 'typeorm';
import { noteEvent } from '../../audit/note-event.js';
import { isUniqueViolation } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { AccountEntity } from '../account.entity.js';
import type { KeyEndings, MembersOfAccounts } from '../account-deletion.js';
import type { AccountSettings, PasswordProof } from '../account-settings.js';
import { findAccountByEmail } from '../find-account-by-email.js';
import { mailboxOf, normaliseEmail } from '../mailbox.js';
import { assertPasswordRules } from '../sign-in/password-rules.js';
import type { Passwords } from '../sign-in/passwords.js';
import { endSessions, lockOwner } from '../sign-in/session-service.js';
import { EmailVerificationEntity } from '../sign-up/email-verification.entity.js';
import { assertEmailRules } from '../sign-up/sign-up-rules.js';
import { refuseTooMany, sayOfMails, takeOne } from '../take-one.js';
import { AccountLinkEntity } from './account-link.entity.js';
import {
  findLink,
  giveToken,
  isKeptForOwner,
  type LinkOutbox,
  linkLifetimesMs,
  noteLink,
  refuseLink,
  type SecretLink,
  takeLink,
  voidLaterUndoLinks,
  voidLinks,
} from './account-links.js';
import { announceRequest, mailConfirmation, mailUndo, tellOfChange, tellOfUndo } from './email-change-mails.js';
import { endMadeSince } from './end-made-since.js';

export interface EmailChangesParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly passwords: Passwords;
  readonly settings: Pick<AccountSettings, 'proveOwner'>;
  readonly outbox: LinkOutbox;
  readonly keyChanges: KeyEndings;
  readonly members: Pick<MembersOfAccounts, 'endSince'>;
  readonly publicUrl: string;
  /** Called when an address was proved by a link. */
  onVerified(accountId: string): void;
}

/** An address that waits to be confirmed. */
export interface PendingEmail {
  readonly email: string;
  readonly askedAtMs: number;
}

const hourMs = 3_600_000;
// Its mail is tried for about a day, and then the link lives for one.
const pendingMs = 48 * hourMs;
const requestsPerHourMax = 5;
const mailsPerMailboxAndDayMax = 6;

/**
 * Another address for an account: asked for with its password, and in force once somebody who reads mail there says so. Whoever
 * read mail at the old one may take it back for a week, with a new password, and nobody else can have that address meanwhile.
 * Whether the new address has an account is looked up when its mail leaves, so asking tells nobody.
 */
export class EmailChanges {
  constructor(private readonly parts: EmailChangesParts) {}

  /**
   * Mails a link to the new address, and tells the old one. Nothing has changed yet; an earlier request is worth nothing now.
   * @throws InvalidInputError naming `newEmail` or `password`; AppError `rate_limit_exceeded` after 5 requests of the account in
   *   an hour or 6 to one mailbox in a day, and as `AccountSettings` says of wrong passwords; `unauthenticated` when the password
   *   was changed, or the session ended, meanwhile.
   */
  async request(proof: PasswordProof, newEmail: string): Promise<void> {
    assertEmailRules('newEmail', newEmail);
    const account = await this.parts.settings.proveOwner(proof, 'password');
    const email = newEmail.trim();
    const emailNormalised = normaliseEmail(email);
    if (emailNormalised === account.emailNormalised) {
      throw new InvalidInputError('newEmail', 'This is the address of your account already.');
    }
    try {
      await this.parts.unitOfWork.transact(async (transaction) => {
        await lockOwner(transaction, { passwordHash: account.passwordHash, viewer: proof.viewer });
        await this.#note(transaction, account, { email, emailNormalised });
      });
    } catch (error) {
      throw refuseTooMany(error, this.parts.clock.nowMs(), sayOfMails);
    }
  }

  /**
   * The address that was asked for last and waits to be confirmed; null: none. The same for one that has an account, whose link never
   * leaves: for two days, however its mail fares.
   */
  async findPending(accountId: string): Promise<PendingEmail | null> {
    const { clock, unitOfWork } = this.parts;
    const since = MoreThan(clock.nowMs() - pendingMs);
    const asked = { accountId, purpose: 'confirm_email' as const, createdAtMs: since };
    const order = { createdAtMs: 'DESC' } as const;
    const link = await unitOfWork.reader.findOne(AccountLinkEntity, { where: asked, order });
    return link && { email: link.email, askedAtMs: link.createdAtMs };
  }

  /** Makes the link to the new address worthless, also before its mail leaves. @returns whether one was asked for. */
  async cancel(accountId: string): Promise<boolean> {
    return this.parts.unitOfWork.transactInTurn(accountId, async (transaction) => {
      const { affected } = await transaction.delete(AccountLinkEntity, { accountId, purpose: 'confirm_email' });
      if (affected) await noteEvent(transaction, { accountId, kind: 'email_change_cancelled' });
      return Boolean(affected);
    });
  }

  /** Makes the link of a mail that is about to leave. @returns null when it is of no use any more, or the new address is taken. */
  async createLink(linkId: string): Promise<SecretLink | null> {
    const { clock, publicUrl, unitOfWork } = this.parts;
    const nowMs = clock.nowMs();
    return unitOfWork.transact(async (transaction) => {
      const link = await transaction.findOneBy(AccountLinkEntity, { id: linkId });
      if (link === null || link.accountId === null || link.purpose === 'reset_password') return null;
      const of = { to: link.email, accountId: link.accountId };
      if (link.purpose === 'undo_email') {
        if ((link.expiresAtMs ?? 0) <= nowMs) return null;
        const token = await giveToken(transaction, linkId, {});
        return { url: `${publicUrl}/undo-email-change#${token}`, ...of, command: null };
      }
      if (await isTaken(transaction, { id: link.accountId, email: link.email }, nowMs)) return null;
      const token = await giveToken(transaction, linkId, { expiresAtMs: nowMs + linkLifetimesMs.confirm_email });
      return { url: `${publicUrl}/confirm-email#${token}`, ...of, command: 'email-change-link' };
    });
  }

  /** For the operator, where no mail can be sent. @param newEmail the address that is to be. @returns null when nobody asked for it. */
  async createLinkFor(newEmail: string): Promise<string | null> {
    const emailNormalised = normaliseEmail(newEmail);
    const asked = { emailNormalised, purpose: 'confirm_email' as const };
    const order = { createdAtMs: 'DESC' } as const;
    const link = await this.parts.unitOfWork.reader.findOne(AccountLinkEntity, { where: asked, order });
    return link && ((await this.createLink(link.id))?.url ?? null);
  }

  /**
   * Takes the token that was mailed to the new address, once within 24 hours, and puts that address in force. The old one, if it
   * was verified, is mailed the link to undo it.
   * @throws AppError `not_found` in the same words for a wrong, a used and an old token; `conflict` when the address has been
   *   taken since.
   */
  async confirm(token: string): Promise<void> {
    const { clock, unitOfWork } = this.parts;
    const asked = { token, purpose: 'confirm_email' as const, nowMs: clock.nowMs() };
    const accountId = await refuseTaken(() =>
      unitOfWork.transact(async (transaction) => {
        const taken = await takeLink(transaction, asked);
        if (taken === null) return null;
        await this.#putInForce(transaction, taken.account, { link: taken.link, nowMs: asked.nowMs });
        return taken.account.id;
      }),
    );
    if (accountId === null) throw refuseLink('24 hours', 'Ask for another one in your settings.');
    this.parts.onVerified(accountId);
  }

  /**
   * Takes the token that was mailed to the old address, once within a week: the account has that address again, the password
   * that is given here, and no session, device or other link any more. What was changed after it can be undone by nobody else. What was
   * made since the change was asked for ends as `endMadeSince` says, and the mail to the owner lists it.
   * @param input.revokeKeys Also revokes the keys from before; of an account that the owner may not manage any more, their own.
   * @throws InvalidInputError for a `newPassword` that breaks the rules; AppError `not_found` as above.
   */
  async undo(input: { token: string; newPassword: string; revokeKeys: boolean }): Promise<void> {
    const { token, newPassword, revokeKeys } = input;
    assertPasswordRules('newPassword', newPassword);
    const { clock, keyChanges, passwords, unitOfWork } = this.parts;
    const asked = { token, purpose: 'undo_email' as const, nowMs: clock.nowMs() };
    const refused = refuseLink('a week', 'If the address is yours, reset your password on the sign-in page.');
    const link = await findLink(unitOfWork.reader, asked);
    if (link === null) throw refused;
    assertPasswordRules('newPassword', newPassword, [link.emailNormalised]);
    const passwordHash = await passwords.hashPassword(newPassword);
    const done = await refuseTaken(() =>
      unitOfWork.transact(async (transaction) => {
        const taken = await takeLink(transaction, asked);
        if (taken === null) return null;
        const { id, email, emailNormalised } = { ...taken.link, id: taken.account.id };
        const back = { email, emailNormalised, emailVerifiedAtMs: asked.nowMs, passwordHash };
        await transaction.update(AccountEntity, { id }, back);
        await voidLaterUndoLinks(transaction, taken.link);
        await noteEvent(transaction, { accountId: id, kind: 'email_change_undone' });
        const sinceMs = taken.link.createdAtMs;
        const made = { accountId: id, sinceMs, isEveryKey: revokeKeys, nowMs: asked.nowMs };
        // It counts what is under way, before that is void.
        const ended = await endMadeSince(transaction, made, this.parts);
        await endSessions(transaction, id);
        await tellOfUndo(transaction, this.parts.outbox, { accountId: id, email, linkId: taken.link.id, ...ended });
        return { id, noted: ended.noted };
      }),
    );
    if (done === null) throw refused;
    this.parts.onVerified(done.id);
    for (const change of done.noted) await keyChanges.takenOver(change);
  }

  async #note(
    transaction: EntityManager,
    account: AccountEntity,
    wanted: Readonly<Pick<AccountEntity, 'email' | 'emailNormalised'>>,
  ): Promise<void> {
    const { id: accountId } = account;
    const { clock, outbox } = this.parts;
    const nowMs = clock.nowMs();
    const at = new Date(nowMs).toISOString();
    const mailbox = createHash('sha256').update(mailboxOf(wanted.email)).digest('hex');
    // The day first: the wait that is told is then one after which it works.
    await takeOne(transaction, `email change to ${mailbox} on ${at.slice(0, 10)}`, mailsPerMailboxAndDayMax);
    await takeOne(transaction, `email change of ${accountId} at ${at.slice(0, 13)}`, requestsPerHourMax);
    await noteEvent(transaction, { accountId, kind: 'email_change_asked' });
    await transaction.delete(AccountLinkEntity, { accountId, purpose: 'confirm_email' });
    const linkId = await noteLink(transaction, { accountId, purpose: 'confirm_email', ...wanted }, nowMs);
    await mailConfirmation(transaction, outbox, { accountId, email: wanted.email, linkId });
    if (account.emailVerifiedAtMs !== null) {
      await announceRequest(transaction, outbox, { accountId, email: account.email, linkId });
    }
  }

  async #putInForce(
    transaction: EntityManager,
    { id, email: oldEmail, emailNormalised: oldNormalised, emailVerifiedAtMs }: AccountEntity,
    { link, nowMs }: { link: AccountLinkEntity; nowMs: number },
  ): Promise<void> {
    const { outbox } = this.parts;
    const { email, emailNormalised } = link;
    const change = { email, emailNormalised, emailVerifiedAtMs: nowMs };
    await transaction.update(AccountEntity, { id }, change);
    // Read behind the change, which waits for whoever takes the address at the same moment.
    if (await isTaken(transaction, { id, email }, nowMs)) throw addressTaken();
    await voidLinks(transaction, id);
    await transaction.delete(EmailVerificationEntity, { accountId: id });
    await noteEvent(transaction, { accountId: id, kind: 'email_changed' });
    await tellOfChange(transaction, outbox, { accountId: id, email, linkId: link.id });
    // An address that nobody has proved to read may be anybody's: it has no say in the account.
    if (emailVerifiedAtMs === null) return;
    const old = { accountId: id, purpose: 'undo_email' as const, email: oldEmail, emailNormalised: oldNormalised };
    // From when on it was somebody else's account, if it was a thief who asked.
    const linkId = await noteLink(transaction, old, nowMs, link.createdAtMs);
    await mailUndo(transaction, outbox, { accountId: id, email: oldEmail, linkId });
  }
}

async function isTaken(reader: EntityManager, wanted: { id: string; email: string }, nowMs: number): Promise<boolean> {
  const owner = await findAccountByEmail(reader, wanted.email);
  if (owner !== null && owner.id !== wanted.id) return true;
  return isKeptForOwner(reader, wanted, nowMs);
}

async function refuseTaken<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    throw isUniqueViolation(error) ? addressTaken(error) : error;
  }
}

function addressTaken(cause?: unknown): AppError {
  const words = 'This address belongs to another account by now. Ask for another one in your settings.';
  return new AppError('conflict', words, { cause });
}
