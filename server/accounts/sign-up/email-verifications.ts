import { randomBytes } from 'node:crypto';
import { type EntityManager, In, IsNull, LessThan } from 'typeorm';
import { noteEvent } from '../../audit/note-event.js';
import { hasCome } from '../../database/time/has-come.js';
import { findProvenMs } from '../../database/time/proven-by-rows.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import type { Logger } from '../../kernel/logger.js';
import { hashText } from '../../kernel/texts/hash-text.js';
import type { LinkMail } from '../../kernel/texts/mail.js';
import { AccountEntity } from '../account.entity.js';
import { listSpellings, mailboxOf } from '../mailbox.js';
import { refuseTooMany, sayOfMails, TooManyError, takeOne, wasTaken } from '../take-one.js';
import { EmailVerificationEntity } from './email-verification.entity.js';

export interface EmailVerificationsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly publicUrl: string;
  /** Where mails wait to be sent. */
  readonly outbox: { put(transaction: EntityManager, mail: LinkMail): Promise<boolean> };
  /** Called when an address was verified: what waited for it may be told now. */
  onVerified(accountId: string): void;
}

type Owner = Readonly<Pick<AccountEntity, 'id' | 'email' | 'emailNormalised'>>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const linkLifetimeMs = dayMs;
// The outbox tries for about a day, and then the link lives for one.
const requestKeptMs = 3 * dayMs;
const mailsPerHourMax = 3;
const mailsPerMailboxAndDayMax = 6;

/**
 * The proof that an account's owner reads mail at its address: a link, mailed there, good for 24 hours and one use. Its token is
 * made when the mail is sent and stored as a hash only. An account is sent three such mails an hour and a mailbox six a
 * day, over all accounts and all spellings of it, so that nobody is flooded by strangers who sign up with it.
 */
export class EmailVerifications {
  constructor(private readonly parts: EmailVerificationsParts) {}

  /** Mails the link to a new account. Never throws: a mail that fails does not undo a sign-up, and can be asked for again. */
  async greet(account: Owner): Promise<void> {
    await this.#mailOnceAMonth(account);
  }

  /**
   * Mails the link to an account that signs in with an address that is not verified, once a month, the mail of its sign-up
   * included: one from before there were such links was sent none. Never throws.
   */
  async remind(account: Owner & Readonly<Pick<AccountEntity, 'emailVerifiedAtMs'>>): Promise<void> {
    if (account.emailVerifiedAtMs === null) await this.#mailOnceAMonth(account);
  }

  /** Mails another link. @throws AppError `conflict` when the address is verified, `rate_limit_exceeded` within the bounds. */
  async sendAgain(accountId: string): Promise<void> {
    const account = await this.parts.unitOfWork.reader.findOneByOrFail(AccountEntity, { id: accountId });
    if (account.emailVerifiedAtMs !== null) throw new AppError('conflict', 'Your address is verified already.');
    try {
      await this.#request(account);
    } catch (error) {
      throw refuseTooMany(error, this.parts.clock.nowMs(), sayOfMails);
    }
  }

  /**
   * Makes the link of a mail that is about to leave; an earlier one of the same mail is worth nothing then.
   * @returns null when nobody needs it any more: the address is verified, or another one, or the account is gone.
   */
  async createLink(verificationId: string): Promise<string | null> {
    const { clock, publicUrl, unitOfWork } = this.parts;
    const token = `tgv_${randomBytes(32).toString('base64url')}`;
    return unitOfWork.transact(async (transaction) => {
      const request = await transaction.findOneBy(EmailVerificationEntity, { id: verificationId });
      if (!request || !(await findUnverified(transaction, request))) return null;
      const change = { tokenHash: hashText(token), expiresAtMs: clock.nowMs() + linkLifetimeMs };
      await transaction.update(EmailVerificationEntity, { id: verificationId }, change);
      // Behind the #, so that it stands in no server's log.
      return `${publicUrl}/verify-email#${token}`;
    });
  }

  /** For the operator, where no mail can be sent. @returns null when there is no such account, or its address is verified. */
  async createLinkFor(email: string): Promise<string | null> {
    const emailNormalised = In([...listSpellings(email)]);
    const unverified = { emailNormalised, closedAtMs: IsNull(), emailVerifiedAtMs: IsNull() };
    const account = await this.parts.unitOfWork.reader.findOneBy(AccountEntity, unverified);
    if (account === null) return null;
    const id = await this.parts.unitOfWork.transact((transaction) => this.#note(transaction, account));
    return this.createLink(id);
  }

  /**
   * Takes the token of a link, once. Every other link of the account is worth nothing after it.
   * @throws AppError `not_found`, in the same words for a wrong, a used and an old one.
   */
  async verify(token: string): Promise<void> {
    const { clock, unitOfWork } = this.parts;
    const nowMs = clock.nowMs();
    const accountId = await unitOfWork.transact(async (transaction) => {
      const request = await transaction.findOneBy(EmailVerificationEntity, { tokenHash: hashText(token) });
      if (!request || hasCome(request.expiresAtMs ?? 0, nowMs, linkLifetimeMs)) return null;
      const used = { id: request.id, tokenHash: request.tokenHash ?? '' };
      const { affected } = await transaction.update(EmailVerificationEntity, used, { tokenHash: null });
      const account = await findUnverified(transaction, request);
      if (affected !== 1 || !account) return null;
      const unverified = { id: account.id, emailNormalised: account.emailNormalised, emailVerifiedAtMs: IsNull() };
      await transaction.update(AccountEntity, unverified, { emailVerifiedAtMs: nowMs });
      await transaction.update(EmailVerificationEntity, { accountId: account.id }, { tokenHash: null });
      await noteEvent(transaction, { accountId: account.id, kind: 'email_verified' });
      return account.id;
    });
    if (accountId === null) {
      const words = 'This link is wrong, already used, or older than 24 hours. Ask for another one in your settings.';
      throw new AppError('not_found', words, { param: 'token' });
    }
    this.parts.onVerified(accountId);
  }

  async #mailOnceAMonth(account: Owner): Promise<void> {
    const { id: accountId } = account;
    const { clock, logger, unitOfWork } = this.parts;
    const scope = `verification unasked of ${accountId} in ${new Date(clock.nowMs()).toISOString().slice(0, 7)}`;
    try {
      if (await wasTaken(unitOfWork.reader, scope)) return;
      await this.#request(account, (transaction) => takeOne(transaction, scope, 1));
    } catch (error) {
      if (error instanceof TooManyError) logger.warn('verification_mail_refused', { accountId });
      else logger.error('verification_mail_failed', { accountId, error });
    }
  }

  async #request(account: Owner, takeMore = async (_transaction: EntityManager): Promise<void> => {}): Promise<void> {
    const { clock, outbox, unitOfWork } = this.parts;
    const at = new Date(clock.nowMs()).toISOString();
    const mailbox = hashText(mailboxOf(account.email));
    await unitOfWork.transact(async (transaction) => {
      await takeMore(transaction);
      // The day first: the wait that is told is then one after which it works.
      await takeOne(transaction, `verification to ${mailbox} on ${at.slice(0, 10)}`, mailsPerMailboxAndDayMax);
      await takeOne(transaction, `verification of ${account.id} at ${at.slice(0, 13)}`, mailsPerHourMax);
      const linkId = await this.#note(transaction, account);
      await outbox.put(transaction, {
        subjectKey: `verify-email:${linkId}`,
        accountId: account.id,
        channel: 'email',
        recipient: account.email,
        title: 'Verify your e-mail address',
        body: 'Somebody, hopefully you, created an account with this address. To verify the address and get e-mails about the account, open this link within 24 hours and press the button there. If it was not you, you can ignore this e-mail: we will not send another one.',
        linkId,
      });
    });
  }

  async #note(transaction: EntityManager, { id: accountId, emailNormalised }: Owner): Promise<string> {
    const createdAtMs = this.parts.clock.nowMs();
    const written = { column: 'createdAtMs', nowMs: createdAtMs } as const;
    const provenMs = await findProvenMs(transaction, EmailVerificationEntity, written);
    await transaction.delete(EmailVerificationEntity, { createdAtMs: LessThan(provenMs - requestKeptMs) });
    const id = createId('emailVerification');
    const addressHash = hashText(emailNormalised);
    const row = { id, accountId, addressHash, tokenHash: null, createdAtMs, expiresAtMs: null };
    await transaction.insert(EmailVerificationEntity, row);
    return id;
  }
}

async function findUnverified(transaction: EntityManager, { accountId, addressHash }: EmailVerificationEntity) {
  const account = await transaction.findOneBy(AccountEntity, { id: accountId, emailVerifiedAtMs: IsNull() });
  return account && hashText(account.emailNormalised) === addressHash ? account : null;
}
