import type { EntityManager } from 'typeorm';
import type { MembersSince, WithdrawnConsents } from '../accounts/account-deletion.js';
import { type AccountFacts, findPeople, findPeopleById } from '../accounts/find-accounts.js';
import { actFor, endActingSessions } from '../accounts/sign-in/session-service.js';
import { noteEvent } from '../audit/note-event.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, NotFoundError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import type { MemberRole } from '../kernel/member-role.js';
import type { Viewer } from '../kernel/viewer.js';
import type { KeyChanges, NotedChange } from '../keys/changes/key-changes.js';
import { endKeysOfPerson } from '../keys/end-keys-of-person.js';
import { endWriteScopes, mayKeysWrite } from '../keys/maker-role.js';
import { AcceptedInvitationEntity } from './accepted-invitation.entity.js';
import { endCardsSince, endMembersSince } from './end-members-since.js';
import { InvitationEntity } from './invitation.entity.js';
import { type Member, requireAnotherOwner, requireMayChange, requireNotFounder, requireOneOf } from './member-rules.js';
import { MembershipEntity } from './membership.entity.js';
import {
  findBudget,
  findRole,
  getMember,
  listRows,
  lockAccountsOf,
  lockMembers,
  type PersonOfAccount,
  writeRole,
} from './membership-rows.js';
import type { PayersOfAccounts } from './payers-of-accounts.js';

export interface MembershipsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly keyChanges: Pick<KeyChanges, 'note' | 'takenOver'>;
  readonly payers: PayersOfAccounts;
}

/** A member, with what others may know of the person. */
export interface NamedMember extends Member {
  readonly name: string;
  readonly email: string;
}

/** An account that a person may act for. */
export interface AccountOfPerson {
  readonly accountId: string;
  readonly name: string;
  readonly role: MemberRole;
}

/** Who changes which member of which account. */
export interface MemberChange {
  readonly accountId: string;
  /** The person who does it. What they are in the account is read anew. */
  readonly byPersonId: string;
  readonly personId: string;
}

/**
 * Who is a member of which account, and as what. Every change sees the members as the one before it has left them, and is written
 * into the account's events in the same transaction. An account always has an owner.
 */
export class Memberships {
  constructor(private readonly parts: MembershipsParts) {}

  /** What a person is in an account at this moment; null: no member. */
  findRole(of: PersonOfAccount, reader = this.parts.unitOfWork.reader): Promise<MemberRole | null> {
    return findRole(reader, of);
  }

  /** @throws AppError `forbidden` for somebody who has just ceased to be a member. */
  async requireMember(transaction: EntityManager, of: PersonOfAccount): Promise<void> {
    if ((await findRole(transaction, of)) !== null) return;
    throw new AppError('forbidden', 'You are no longer a member of this account.');
  }

  async findBudget(
    transaction: EntityManager,
    of: { readonly accountId: string; readonly personId: string },
  ): Promise<number | null> {
    return findBudget(transaction, of);
  }

  async listMembers(accountId: string): Promise<readonly NamedMember[]> {
    const { reader } = this.parts.unitOfWork;
    const members = await listRows(reader, accountId);
    const personIds = members.map(({ personId }) => personId);
    const people = await findPeopleById(reader, personIds);
    return members.flatMap((member) => {
      const person = people.get(member.personId);
      return person ? [{ ...member, name: person.name, email: person.email }] : [];
    });
  }

  /** A person who signs in; null: there is none, or no longer. */
  async findPerson(personId: string): Promise<AccountFacts | null> {
    return (await findPeople(this.parts.unitOfWork.reader, [personId]))[0] ?? null;
  }

  /** What a person who did something is called; null: nobody is called so any more. */
  async findName(personId: string): Promise<string | null> {
    return (await this.findPerson(personId))?.name ?? null;
  }

  /** The accounts that a person may act for, their own first, the others by when they joined. */
  async listAccounts(personId: string): Promise<readonly AccountOfPerson[]> {
    const { reader } = this.parts.unitOfWork;
    const order = { createdAtMs: 'ASC', accountId: 'ASC' } as const;
    const rows = await reader.find(MembershipEntity, { where: { personId }, order });
    const own = rows.find(({ accountId }) => accountId === personId);
    const all = [{ accountId: personId, role: own?.role ?? ('owner' as const) }, ...rows.filter((row) => row !== own)];
    const accountIds = all.map(({ accountId }) => accountId);
    const accounts = await findPeopleById(reader, accountIds);
    return all.flatMap(({ accountId, role }) => {
      const account = accounts.get(accountId);
      return account ? [{ accountId, name: account.name, role }] : [];
    });
  }

  /**
   * Has a session act for another account from the next request on. @param viewer the person, by their own account.
   * @throws NotFoundError for an account of which the person is no member.
   */
  async switchAccount(viewer: Viewer, accountId: string): Promise<void> {
    const { accountId: personId } = viewer;
    await this.parts.unitOfWork.transact(async (transaction) => {
      if (accountId !== personId) {
        // Writing the row makes this wait for a removal at its side, which ends the sessions that it finds.
        const { affected } = await transaction.update(MembershipEntity, { accountId, personId }, { personId });
        const row = await transaction.findOneBy(MembershipEntity, { accountId, personId });
        // MySQL and MariaDB find the row with blanks behind its id, too, and the session would act for an account that nobody has.
        if (affected !== 1 || row?.accountId !== accountId) throw new NotFoundError('account');
      }
      await actFor(transaction, viewer, accountId);
    });
  }

  /**
   * Gives a member another role, which holds from their next request on. Their card is forgotten where it may not pay any more.
   * @throws NotFoundError; AppError `role_required`; `conflict` when the account would have no owner.
   */
  async setRole(change: MemberChange & { readonly role: MemberRole }): Promise<void> {
    const { accountId, byPersonId, personId, role } = change;
    await this.#change(accountId, async (transaction, members) => {
      const target = getMember(members, personId);
      requireMayChange(getMember(members, byPersonId).role, target.role, role);
      if (target.role === role) return;
      if (target.role === 'owner') requireAnotherOwner(members, personId);
      await writeRole(transaction, { accountId, personId, role }, this.parts.clock.nowMs());
      const detail = `${target.role} → ${role}`;
      await noteEvent(transaction, { accountId, kind: 'member_role_changed', subjectId: personId, detail });
      await this.parts.payers.endIfNoPayer(transaction, { accountId, personId });
    });
  }

  /**
   * Makes a member the owner in the place of whoever asks, who is an admin from then on.
   * @throws NotFoundError; AppError `role_required`; `conflict` for oneself.
   */
  async transferOwnership({ accountId, byPersonId, personId }: MemberChange): Promise<void> {
    await this.#change(accountId, async (transaction, members) => {
      requireOneOf(getMember(members, byPersonId).role, ['owner'], 'To hand the account over');
      getMember(members, personId);
      if (personId === byPersonId)
        throw new AppError('conflict', 'The account is yours already. Choose another member.');
      const nowMs = this.parts.clock.nowMs();
      await writeRole(transaction, { accountId, personId, role: 'owner' }, nowMs);
      await writeRole(transaction, { accountId, personId: byPersonId, role: 'admin' }, nowMs);
      await this.parts.payers.endIfNoPayer(transaction, { accountId, personId: byPersonId });
      await noteEvent(transaction, { accountId, kind: 'ownership_transferred', subjectId: personId });
    });
  }

  /**
   * Ends a membership. The person's sessions that act for the account end in the same transaction, and the keys that they have
   * made there do, too, where `revokeKeys` says so; otherwise they stay, without the scopes that the role did not have any more. The card
   * that the person has saved for automatic top-ups is forgotten. It is answered once no instance takes the keys as they were.
   * @throws NotFoundError; AppError `role_required`; `conflict` for oneself, and for whoever signs in by this account.
   */
  async remove(
    { accountId, byPersonId, personId }: MemberChange,
    { revokeKeys }: { revokeKeys: boolean },
  ): Promise<void> {
    const noted = await this.#change(accountId, async (transaction, members) => {
      const target = getMember(members, personId);
      requireMayChange(getMember(members, byPersonId).role, target.role, null);
      if (personId === byPersonId) throw new AppError('conflict', 'To go yourself, leave the account.');
      requireNotFounder(accountId, personId);
      return this.#end(transaction, { accountId, personId, kind: 'member_removed', revokeKeys });
    });
    if (noted !== null) await this.parts.keyChanges.takenOver(noted);
  }

  /** As `remove`, of oneself. @throws AppError `conflict` for the last owner, and for whoever signs in by this account. */
  async leave(of: { accountId: string; personId: string }, { revokeKeys }: { revokeKeys: boolean }): Promise<void> {
    const { accountId, personId } = of;
    const noted = await this.#change(accountId, async (transaction, members) => {
      const { role } = getMember(members, personId);
      requireNotFounder(accountId, personId);
      if (role === 'owner') requireAnotherOwner(members, personId);
      return this.#end(transaction, { accountId, personId, kind: 'member_left', revokeKeys });
    });
    if (noted !== null) await this.parts.keyChanges.takenOver(noted);
  }

  // Changes of the members there wait until this transaction ends, so of two owners who go at once the second is the last one.
  async #leaveOthers(transaction: EntityManager, personId: string): Promise<readonly NotedChange[]> {
    await lockAccountsOf(transaction, personId);
    const noted: NotedChange[] = [];
    for (const { accountId, role } of await transaction.findBy(MembershipEntity, { personId })) {
      if (accountId === personId) continue;
      if (role === 'owner') requireAnotherOwner(await listRows(transaction, accountId), personId);
      const change = await this.#end(transaction, { accountId, personId, kind: 'member_left', revokeKeys: false });
      if (change !== null) noted.push(change);
    }
    return noted;
  }

  /** Whether whoever signed up for an account may manage all its keys by the role that they have now. */
  async mayManageKeys(transaction: EntityManager, accountId: string): Promise<boolean> {
    const role = await findRole(transaction, { accountId, personId: accountId });
    return role !== null && mayKeysWrite(role);
  }

  /** As `endMembersSince` says. */
  endSince(
    transaction: EntityManager,
    of: { readonly accountId: string; readonly sinceMs: number; readonly nowMs: number },
  ): Promise<MembersSince> {
    return endMembersSince(transaction, of, this.parts.payers);
  }

  /**
   * Turns off automatic top-ups by a person's card, until they agree again: for whoever has found that somebody else may have acted as
   * them. @returns how many.
   */
  async withdrawConsents(transaction: EntityManager, withdrawn: WithdrawnConsents): Promise<number> {
    return (await endCardsSince(transaction, { ...withdrawn, cardsSinceMs: null }, this.parts.payers)).topUps;
  }

  /**
   * Forgets who was a member of an account, whose card it charged, and of which ones its person was, in the transaction that deletes it.
   * @returns changes of keys elsewhere, to be taken over behind the commit.
   * @throws AppError `conflict` when an account of others would be left without an owner.
   */
  async forget(transaction: EntityManager, accountId: string): Promise<readonly NotedChange[]> {
    const noted = await this.#leaveOthers(transaction, accountId);
    await this.parts.payers.forgetCardOf(transaction, accountId);
    await transaction.delete(MembershipEntity, { accountId });
    await transaction.delete(InvitationEntity, { invitedBy: accountId });
    await transaction.delete(InvitationEntity, { accountId });
    await transaction.delete(AcceptedInvitationEntity, [{ accountId }, { personId: accountId }]);
    await endActingSessions(transaction, { actingAccountId: accountId });
    return noted;
  }

  #change<Result>(
    accountId: string,
    work: (transaction: EntityManager, members: readonly Member[]) => Promise<Result>,
  ): Promise<Result> {
    return this.parts.unitOfWork.transactInTurn(accountId, async (transaction) => {
      await lockMembers(transaction, accountId);
      return work(transaction, await listRows(transaction, accountId));
    });
  }

  async #end(
    transaction: EntityManager,
    end: { accountId: string; personId: string; kind: 'member_removed' | 'member_left'; revokeKeys: boolean },
  ): Promise<NotedChange | null> {
    const { accountId, personId, kind, revokeKeys } = end;
    const { clock, keyChanges } = this.parts;
    const nowMs = clock.nowMs();
    const role = await findRole(transaction, { accountId, personId });
    await transaction.delete(MembershipEntity, { accountId, personId });
    // Nobody else may read it, and they may not any more. Named by its table, since members know nobody who keeps it.
    await transaction.delete('personal_item', { accountId, personId });
    await endActingSessions(transaction, { actingAccountId: accountId, personId });
    await noteEvent(transaction, { accountId, kind, subjectId: personId });
    await this.parts.payers.endIfNoPayer(transaction, { accountId, personId });
    const mayWrite = role !== null && mayKeysWrite(role);
    if (revokeKeys) await endKeysOfPerson(transaction, { accountId, personId, nowMs });
    else if (mayWrite || !(await endWriteScopes(transaction, { accountId, personId, nowMs }))) return null;
    return keyChanges.note(transaction, { accountId, keyId: null });
  }
}
