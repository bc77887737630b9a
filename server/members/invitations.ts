import { randomBytes } from 'node:crypto';
import { type EntityManager, type FindOptionsWhere, LessThanOrEqual } from 'typeorm';
import { findPeople } from '../accounts/find-accounts.js';
import { mailboxOf, normaliseEmail } from '../accounts/mailbox.js';
import { assertEmailRules } from '../accounts/sign-up/sign-up-rules.js';
import { refuseTooMany, takeOne } from '../accounts/take-one.js';
import { findActor } from '../audit/acting.js';
import { noteEvent } from '../audit/note-event.js';
import { isStanding } from '../database/time/is-due.js';
import { findProvenMs } from '../database/time/proven-by-rows.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError, NotFoundError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import type { MemberRole } from '../kernel/member-role.js';
import { hashText } from '../kernel/texts/hash-text.js';
import type { LinkMail } from '../kernel/texts/mail.js';
import { findBudgetOfMaker } from '../keys/budgets-of-makers.js';
import { AcceptedInvitationEntity } from './accepted-invitation.entity.js';
import { InvitationEntity } from './invitation.entity.js';
import { describeInvitation } from './invitation-mail.js';
import { requireMayChange } from './member-rules.js';
import { MembershipEntity } from './membership.entity.js';
import { findRole, getMember, listRows, lockMembers } from './membership-rows.js';

export interface InvitationsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly outbox: { put(transaction: EntityManager, mail: LinkMail): Promise<boolean> };
}

/** An invitation that waits for its answer. Nothing in it lets anybody in. */
export type Invitation = Readonly<Omit<InvitationEntity, 'tokenHash' | 'emailNormalised'>>;

/** What whoever holds a link may know before they answer. */
export interface Offer {
  readonly accountName: string;
  readonly role: MemberRole;
  readonly invitedBy: string | null;
  readonly expiresAtMs: number;
}

interface NewInvitation {
  readonly accountId: string;
  readonly byPersonId: string;
  readonly email: string;
  readonly role: MemberRole;
}

const lifetimeMs = 7 * 24 * 3_600_000;
/** Members and open invitations of an account, together. */
const membersMax = 100;
const mailsPerAccountAndDayMax = 20;
const mailsPerMailboxAndDayMax = 3;

/**
 * Invitations by mail: good for a week and one use, for whoever signs in with the address that was invited. The token is made when
 * the mail leaves and stored as a hash only. Whether the address has an account is never looked up, so inviting tells nobody.
 */
export class Invitations {
  constructor(private readonly parts: InvitationsParts) {}

  /**
   * Mails an invitation; an earlier one of the account to the same address is worth nothing from then on.
   * @throws InvalidInputError naming `email` or `role`; AppError `forbidden` for an inviter whose own address is not verified,
   *   `role_required`, `conflict` for a member and when 100 members and invitations are there, `rate_limit_exceeded` after 20
   *   mails of the account or 3 to one mailbox in a day.
   */
  async invite(wanted: NewInvitation): Promise<Invitation> {
    const { email: typed, role } = wanted;
    assertEmailRules('email', typed);
    if (role === 'owner') {
      throw new InvalidInputError('role', 'Nobody is invited as an owner. Hand the account over to a member instead.');
    }
    await this.#requireVerified(wanted.byPersonId);
    try {
      return await this.parts.unitOfWork.transact((transaction) =>
        this.#invite(transaction, { ...wanted, email: typed.trim() }),
      );
    } catch (error) {
      const say = (wait: string) => `Enough invitations were mailed today. Try again in ${wait}.`;
      throw refuseTooMany(error, this.parts.clock.nowMs(), say);
    }
  }

  /** Those that are still good, newest first; at most 100. */
  async listInvitations(accountId: string): Promise<readonly Invitation[]> {
    const where = { accountId, expiresAtMs: isStanding(this.parts.clock.nowMs(), lifetimeMs) };
    return this.parts.unitOfWork.reader.find(InvitationEntity, { where, order: { id: 'DESC' }, take: membersMax });
  }

  /** All that are kept, newest first; those that have expired are removed with the next one that is made. */
  async listKept(accountId: string): Promise<readonly Invitation[]> {
    return this.parts.unitOfWork.reader.find(InvitationEntity, { where: { accountId }, order: { id: 'DESC' } });
  }

  /** Takes an invitation back. @throws NotFoundError when it is not the account's, or was answered. */
  async revoke({ accountId, id }: { readonly accountId: string; readonly id: string }): Promise<void> {
    await this.parts.unitOfWork.transact(async (transaction) => {
      const row = await transaction.findOneBy(InvitationEntity, { id, accountId });
      const { affected } = await transaction.delete(InvitationEntity, { id, accountId });
      if (row?.id !== id || affected !== 1) throw new NotFoundError('invitation');
      await noteEvent(transaction, { accountId, kind: 'invitation_revoked', subjectId: id, detail: row.email });
    });
  }

  /** Makes the link of a mail that is about to leave; an earlier one is worth nothing then. @returns null when it is of no use. */
  async createLink(id: string): Promise<{ readonly url: string; readonly command: string } | null> {
    const token = `tgi_${randomBytes(32).toString('base64url')}`;
    const open = { id, expiresAtMs: isStanding(this.parts.clock.nowMs(), lifetimeMs) };
    const { affected } = await this.parts.unitOfWork.transact((transaction) =>
      transaction.update(InvitationEntity, open, { tokenHash: hashText(token) }),
    );
    // Behind the #, so that it stands in no server's log.
    return affected === 1 ? { url: `${this.parts.publicUrl}/join#${token}`, command: 'invitation-link' } : null;
  }

  /** For the operator, where no mail can be sent. @returns null when nobody has invited this address. */
  async createLinkFor(email: string): Promise<string | null> {
    const where = {
      emailNormalised: normaliseEmail(email),
      expiresAtMs: isStanding(this.parts.clock.nowMs(), lifetimeMs),
    };
    const row = await this.parts.unitOfWork.reader.findOne(InvitationEntity, { where, order: { id: 'DESC' } });
    return row && ((await this.createLink(row.id))?.url ?? null);
  }

  /** What a link offers to a person who is signed in. @throws as `accept` does. */
  async findOffer(token: string, personId: string): Promise<Offer> {
    const { reader } = this.parts.unitOfWork;
    const { accountId, role, invitedBy, expiresAtMs } = await this.#find(reader, token, personId);
    const people = await findPeople(reader, [accountId, invitedBy]);
    const account = people.find(({ id }) => id === accountId);
    if (!account) throw linkRefused();
    return {
      accountName: account.name,
      role,
      invitedBy: people.find(({ id }) => id === invitedBy)?.email ?? null,
      expiresAtMs,
    };
  }

  /**
   * Makes a person a member, once; of several who come with a token at once, one is. Whoever was a member before has the budget again that
   * stands on their keys.
   * @returns the account.
   * @throws AppError `not_found` in the same words for a wrong, a used, a revoked and an old token; `forbidden` when it was mailed
   *   to another address than the person's; `conflict` for a member, also for whoever has become one by this very token.
   */
  async accept(token: string, personId: string): Promise<string> {
    const { clock, unitOfWork } = this.parts;
    const found = await this.#find(unitOfWork.reader, token, personId);
    return unitOfWork.transact(async (transaction) => {
      await lockMembers(transaction, found.accountId);
      const { accountId, role, invitedBy, expiresAtMs } = await this.#find(transaction, token, personId);
      // Whoever invited may have been lowered or removed since.
      const inviter = await findRole(transaction, { accountId, personId: invitedBy });
      if (inviter !== 'owner' && inviter !== 'admin') throw linkRefused();
      await this.#take(transaction, token);
      if ((await findRole(transaction, { accountId, personId })) !== null) throw memberAlready();
      await transaction.insert(AcceptedInvitationEntity, {
        tokenHash: hashText(token),
        accountId,
        personId,
        expiresAtMs,
      });
      // Whoever comes back has keys of before, with a budget on them that nobody saw meanwhile.
      const monthlyBudgetMillicredits = await findBudgetOfMaker(transaction, { accountId, personId });
      await transaction.insert(MembershipEntity, {
        accountId,
        personId,
        role,
        monthlyBudgetMillicredits,
        createdAtMs: clock.nowMs(),
      });
      await noteAnswer(transaction, { accountId, kind: 'member_joined', personId, role });
      return accountId;
    });
  }

  /** Answers with a no; the link is worth nothing then. @throws as `accept` does. */
  async decline(token: string, personId: string): Promise<void> {
    await this.parts.unitOfWork.transact(async (transaction) => {
      const { accountId } = await this.#find(transaction, token, personId);
      await this.#take(transaction, token);
      await noteAnswer(transaction, { accountId, kind: 'invitation_declined', personId, role: null });
    });
  }

  async #requireVerified(personId: string): Promise<void> {
    const [person] = await findPeople(this.parts.unitOfWork.reader, [personId]);
    if (person?.emailVerifiedAtMs != null) return;
    throw new AppError('forbidden', 'Verify your own e-mail address first. Your settings say how.');
  }

  async #invite(
    transaction: EntityManager,
    { accountId, byPersonId, email, role }: NewInvitation,
  ): Promise<Invitation> {
    const emailNormalised = normaliseEmail(email);
    const nowMs = this.parts.clock.nowMs();
    await lockMembers(transaction, accountId);
    const members = await listRows(transaction, accountId);
    requireMayChange(getMember(members, byPersonId).role, role, role);
    const people = await findPeople(
      transaction,
      members.map(({ personId }) => personId),
    );
    if (people.some((person) => normaliseEmail(person.email) === emailNormalised)) {
      throw new AppError('conflict', 'Whoever has this address is a member already.', { param: 'email' });
    }
    const provenMs = await findProvenMs(transaction, InvitationEntity, { column: 'createdAtMs', nowMs });
    for (const entity of [InvitationEntity, AcceptedInvitationEntity]) {
      await transaction.delete(entity, { accountId, expiresAtMs: LessThanOrEqual(provenMs) });
    }
    await transaction.delete(InvitationEntity, { accountId, emailNormalised });
    const open = { accountId, expiresAtMs: isStanding(nowMs, lifetimeMs) };
    if (members.length + (await transaction.countBy(InvitationEntity, open)) >= membersMax) {
      throw new AppError('conflict', `An account has at most ${membersMax} members and open invitations.`);
    }
    const day = new Date(nowMs).toISOString().slice(0, 10);
    await takeOne(transaction, `invitation of ${accountId} on ${day}`, mailsPerAccountAndDayMax);
    await takeOne(transaction, `invitation to ${hashText(mailboxOf(email))} on ${day}`, mailsPerMailboxAndDayMax);
    const id = createId('invitation');
    const row = { id, accountId, email, emailNormalised, role, invitedBy: byPersonId, tokenHash: null };
    const invitation = { ...row, createdAtMs: nowMs, expiresAtMs: nowMs + lifetimeMs };
    await transaction.insert(InvitationEntity, invitation);
    const inviter = people.find((person) => person.id === byPersonId)?.email ?? '';
    await this.parts.outbox.put(transaction, describeInvitation({ id, accountId, email, role, inviter }));
    await noteEvent(transaction, { accountId, kind: 'member_invited', subjectId: id, detail: `${email}, ${role}` });
    return invitation;
  }

  async #find(reader: EntityManager, token: string, personId: string): Promise<InvitationEntity> {
    const open = { tokenHash: hashText(token), expiresAtMs: isStanding(this.parts.clock.nowMs(), lifetimeMs) };
    const row = await reader.findOneBy(InvitationEntity, open);
    if (!row) throw (await this.#hasJoinedBy(reader, open, personId)) ? memberAlready() : linkRefused();
    const [person] = await findPeople(reader, [personId]);
    if (person && normaliseEmail(person.email) === row.emailNormalised) return row;
    throw new AppError('forbidden', 'This invitation was mailed to another address. Sign in with that one.');
  }

  /** Whether this person has become a member by a token, and still is one. A second tab, or a lost answer, has them come again. */
  async #hasJoinedBy(
    reader: EntityManager,
    open: FindOptionsWhere<AcceptedInvitationEntity>,
    personId: string,
  ): Promise<boolean> {
    const accepted = await reader.findOneBy(AcceptedInvitationEntity, { ...open, personId });
    return accepted !== null && (await findRole(reader, { accountId: accepted.accountId, personId })) !== null;
  }

  async #take(transaction: EntityManager, token: string): Promise<void> {
    const { affected } = await transaction.delete(InvitationEntity, { tokenHash: hashText(token) });
    if (affected !== 1) throw linkRefused();
  }
}

// The person answers from an account of their own: what they are in this one is not what the request says.
async function noteAnswer(
  transaction: EntityManager,
  answer: {
    accountId: string;
    kind: 'member_joined' | 'invitation_declined';
    personId: string;
    role: MemberRole | null;
  },
): Promise<void> {
  const { accountId, kind, personId, role } = answer;
  const actor = findActor();
  await noteEvent(
    transaction,
    { accountId, kind, subjectId: personId, detail: role },
    actor && { ...actor, personId, role },
  );
}

function memberAlready(): AppError {
  return new AppError('conflict', 'You are a member of this account already.');
}

function linkRefused(): AppError {
  const words = 'This link is wrong, used already, taken back, or older than seven days. Ask for another invitation.';
  return new AppError('not_found', words, { param: 'token' });
}
