import { randomBytes } from 'node:crypto';
import { type EntityManager, LessThanOrEqual } from 'typeorm';
import { isStanding } from '../../database/time/is-due.js';
import { findProvenMs } from '../../database/time/proven-by-rows.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError, NotFoundError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { hashText } from '../../kernel/texts/hash-text.js';
import { findAccountByEmail } from '../find-account-by-email.js';
import { mailboxOf, normaliseEmail } from '../mailbox.js';
import type { LinkOutbox } from '../recovery/account-links.js';
import { refuseTooMany, takeOne } from '../take-one.js';
import { SignUpInvitationEntity } from './sign-up-invitation.entity.js';
import { assertEmailRules } from './sign-up-rules.js';

export interface SignUpInvitationsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly outbox: LinkOutbox;
}

/** An invitation that was not used yet. Nothing in it lets anybody sign up. */
export type SignUpInvitation = Readonly<Omit<SignUpInvitationEntity, 'tokenHash' | 'emailNormalised'>>;

interface NewInvitation {
  readonly email: string;
  /** Whether a server mails it; else the link is made at once, for whoever invites to hand on. */
  readonly isMailed: boolean;
  /** As the operators' log names them. */
  readonly createdBy: string;
}

type Also = (transaction: EntityManager, invitation: SignUpInvitation) => Promise<void>;

const lifetimeMs = 7 * 24 * 60 * 60_000;
const openMax = 1_000;
const mailsPerMailboxAndDayMax = 3;

/**
 * Invitations to make an account: each for one address, good for seven days and one use. The token is made with the link, when it is
 * mailed or shown, and stored as a hash only.
 */
export class SignUpInvitations {
  constructor(private readonly parts: SignUpInvitationsParts) {}

  /**
   * Invites an address; an earlier invitation of it is worth nothing from then on.
   * @param also Runs in the transaction that writes it.
   * @returns the invitation, and its link unless it is mailed; the link is stored nowhere.
   * @throws InvalidInputError naming `email`; AppError `conflict` where the address has an account, and when 1,000 invitations wait;
   *   `rate_limit_exceeded` after three mails to one mailbox in a day.
   */
  async invite(
    { email: typed, isMailed, createdBy }: NewInvitation,
    also: Also,
  ): Promise<{ readonly invitation: SignUpInvitation; readonly link: string | null }> {
    assertEmailRules('email', typed);
    const { clock, unitOfWork } = this.parts;
    const nowMs = clock.nowMs();
    const [email, token] = [typed.trim(), isMailed ? null : createToken()];
    const invitation = { id: createId('signUpInvitation'), email, createdBy, createdAtMs: nowMs };
    const row = { ...invitation, emailNormalised: normaliseEmail(email), expiresAtMs: nowMs + lifetimeMs };
    const tokenHash = token && hashText(token);
    await unitOfWork
      .transact(async (transaction) => {
        await makeRoom(transaction, row, nowMs);
        await transaction.insert(SignUpInvitationEntity, { ...row, tokenHash });
        if (isMailed) await this.#mail(transaction, row);
        await also(transaction, row);
      })
      .catch((error: unknown) => {
        throw refuseTooMany(error, nowMs, sayOfInvitations);
      });
    return { invitation: row, link: token && this.#linkOf(token) };
  }

  /** Those that are still good, the newest first; at most 1,000. */
  async list(): Promise<readonly SignUpInvitation[]> {
    const where = { expiresAtMs: isStanding(this.parts.clock.nowMs(), lifetimeMs) };
    return this.parts.unitOfWork.reader.find(SignUpInvitationEntity, { where, order: { id: 'DESC' }, take: openMax });
  }

  /** Takes one back. @param also Runs in the same transaction. @throws NotFoundError when it was used, or taken back. */
  async withdraw(id: string, also: Also): Promise<void> {
    const { unitOfWork } = this.parts;
    const row = await unitOfWork.reader.findOneBy(SignUpInvitationEntity, { id });
    await unitOfWork.transact(async (transaction) => {
      const { affected } = await transaction.delete(SignUpInvitationEntity, { id });
      if (row === null || affected !== 1) throw new NotFoundError('invitation');
      await also(transaction, row);
    });
  }

  /** Makes the link of a mail that is about to leave; an earlier one is worth nothing then. @returns null when it is of no use. */
  async createLink(id: string): Promise<string | null> {
    const token = createToken();
    const open = { id, expiresAtMs: isStanding(this.parts.clock.nowMs(), lifetimeMs) };
    const { affected } = await this.parts.unitOfWork.transact((transaction) =>
      transaction.update(SignUpInvitationEntity, open, { tokenHash: hashText(token) }),
    );
    return affected === 1 ? this.#linkOf(token) : null;
  }

  /** The invitation that a token is good for, with the address in the form that is compared; null: for none. */
  async find(token: string): Promise<Pick<SignUpInvitationEntity, 'id' | 'emailNormalised'> | null> {
    return this.parts.unitOfWork.reader.findOneBy(SignUpInvitationEntity, this.#openBy(token));
  }

  /** Uses it up in the transaction that makes the account. @returns its id; null: it is of no use any more, and nothing was changed. */
  async take(transaction: EntityManager, token: string): Promise<string | null> {
    const row = await transaction.findOneBy(SignUpInvitationEntity, this.#openBy(token));
    if (row === null) return null;
    const { affected } = await transaction.delete(SignUpInvitationEntity, { id: row.id, tokenHash: hashText(token) });
    return affected === 1 ? row.id : null;
  }

  #openBy(token: string) {
    return { tokenHash: hashText(token), expiresAtMs: isStanding(this.parts.clock.nowMs(), lifetimeMs) };
  }

  // Behind the #, so that it stands in no server's log.
  #linkOf(token: string): string {
    return `${this.parts.publicUrl}/sign-up#${token}`;
  }

  async #mail(transaction: EntityManager, { id, email, createdAtMs }: SignUpInvitation): Promise<void> {
    const day = new Date(createdAtMs).toISOString().slice(0, 10);
    const scope = `sign-up invitation to ${hashText(mailboxOf(email))} on ${day}`;
    await takeOne(transaction, scope, mailsPerMailboxAndDayMax);
    await this.parts.outbox.put(transaction, {
      subjectKey: `sign-up-invitation:${id}`,
      accountId: null,
      channel: 'email',
      recipient: email,
      title: 'You are invited to create an account on Tollgate',
      body: `The operator of ${this.parts.publicUrl} invited you to create an account there. Open this link within seven days and sign up with this address. It works once. If you do not know who that is, you can ignore this e-mail.`,
      linkId: id,
    });
  }
}

async function makeRoom(
  transaction: EntityManager,
  { email, emailNormalised }: Pick<SignUpInvitationEntity, 'email' | 'emailNormalised'>,
  nowMs: number,
): Promise<void> {
  const provenMs = await findProvenMs(transaction, SignUpInvitationEntity, { column: 'createdAtMs', nowMs });
  await transaction.delete(SignUpInvitationEntity, { expiresAtMs: LessThanOrEqual(provenMs) });
  await transaction.delete(SignUpInvitationEntity, { emailNormalised });
  if (await findAccountByEmail(transaction, email)) {
    const words = 'There is an account with this address already: its owner signs in, and needs no invitation.';
    throw new AppError('conflict', words, { param: 'email' });
  }
  if ((await transaction.count(SignUpInvitationEntity)) < openMax) return;
  throw new AppError('conflict', `At most ${openMax} invitations wait at a time. Take back those that nobody uses.`);
}

function sayOfInvitations(wait: string): string {
  return `Enough invitations were mailed there today. Make a link and hand it on, or try again in ${wait}.`;
}

function createToken(): string {
  return `tgs_${randomBytes(32).toString('base64url')}`;
}
