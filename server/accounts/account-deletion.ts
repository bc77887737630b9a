import { Between, type EntityManager, IsNull } from 'typeorm';
import { forgetEvents } from '../audit/note-event.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, NotFoundError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import type { Ledger } from '../ledger/ledger.js';
import { AccountEntity } from './account.entity.js';
import { AccountLinkEntity } from './recovery/account-link.entity.js';
import { endSessions } from './sign-in/session-service.js';
import { EmailVerificationEntity } from './sign-up/email-verification.entity.js';

/** Who tells every instance that the keys of an account ended. */
export interface KeyEndings<Noted = unknown> {
  note(transaction: EntityManager, changed: { readonly accountId: string; readonly keyId: null }): Promise<Noted>;
  takenOver(noted: Noted): Promise<void>;
}

/** What is left of an account's members where somebody else may have acted as the person who signed up for it. */
export interface MembersSince {
  /** Whether that person decides about the account, and not only about what is their own. */
  readonly mayManage: boolean;
  /** The other members, who all were there before. */
  readonly earlierIds: readonly string[];
  /** The accounts of others in which the person is a member. */
  readonly memberOf: readonly string[];
  readonly endedMembers: number;
  readonly endedInvitations: number;
  /** Automatic top-ups by the person's card, here and in accounts of others. */
  readonly endedTopUps: number;
  /** Cards that were saved in the person's name, the same. */
  readonly endedCards: number;
}

/** Which consents of a person to automatic top-ups end. */
export interface WithdrawnConsents {
  readonly personId: string;
  /** Those that were given since then. */
  readonly sinceMs: number;
  /** What was agreed to last in this session stays. */
  readonly keptSessionId?: string;
  /** Whether the person is mailed; left out: whoever asks tells them. */
  readonly isPersonTold?: boolean;
}

/** Who knows the members of accounts. */
export interface MembersOfAccounts {
  /** Whether whoever signed up for an account may manage all its keys by their present role. */
  mayManageKeys(transaction: EntityManager, accountId: string): Promise<boolean>;
  /** Turns off automatic top-ups by a person's card, until they agree again, as `WithdrawnConsents` says. @returns how many. */
  withdrawConsents(transaction: EntityManager, withdrawn: WithdrawnConsents): Promise<number>;
  /** Ends memberships, invitations, saved cards and consents to automatic top-ups that came since, in the transaction that has written the account's row. */
  endSince(
    transaction: EntityManager,
    of: { readonly accountId: string; readonly sinceMs: number; readonly nowMs: number },
  ): Promise<MembersSince>;
  /**
   * Ends what a person is in accounts of others, and forgets who was a member of their own, and whose card it charged.
   * @returns changes of keys elsewhere, for `KeyEndings.takenOver`.
   * @throws AppError `conflict` when an account of others would be left without an owner.
   */
  forget(transaction: EntityManager, accountId: string): Promise<readonly unknown[]>;
}

export interface AccountDeletionParts {
  readonly members: MembersOfAccounts;
  readonly unitOfWork: UnitOfWork;
  readonly keyChanges: KeyEndings;
  readonly ledger: Pick<Ledger, 'setWalletState'>;
  readonly clock: Clock;
  /** Ends the pages that the account could still pay on; bounded in time, and it never fails. Left out: nothing is sold. */
  endCheckouts?(accountId: string): Promise<void>;
}

/** Rows of an account that tell who it was, or what it was about. Named by their tables, since accounts know nobody who keeps them. */
const tablesOfAccount = [
  ...['balance_alert', 'notice_read', 'authenticator_app', 'recovery_code', 'passkey', 'factor_recovery'],
  ...['linked_identity', 'refusal', 'receipt_link', 'key_network', 'saved_item', 'account_risk_mark'],
  ...['webhook_endpoint', 'webhook_call_look', 'personal_item'],
  // They name the address that it had.
  'notice',
];

/** What its person has left in accounts of others. */
const tablesOfPerson = ['notice_read', 'personal_item'];

/** The end of an account, for its owner and for operators alike. */
export class AccountDeletion {
  constructor(private readonly parts: AccountDeletionParts) {}

  /** The same for an operator, who decides by the id alone. @throws as `delete`; NotFoundError. */
  async deleteFor(accountId: string, also: (transaction: EntityManager) => Promise<void>): Promise<void> {
    const where = { id: accountId, closedAtMs: IsNull() };
    const account = await this.parts.unitOfWork.reader.findOneBy(AccountEntity, where);
    if (account?.id !== accountId) throw new NotFoundError('account');
    await this.delete(account, also);
  }

  /**
   * Closes an account for ever. First, in the one transaction that decides: its person is no member elsewhere any more, keys revoked,
   * sessions ended, no card charged and no alert sent any more, the row emptied of everything that tells who it was, so that the same e-mail may sign up again. Then its wallet, so that no new call begins;
   * running calls end and are billed, and the ledger closes the wallet after the last of them. Credits that are left stay on it,
   * out of anybody's reach; the journal is kept, as books must be. Refused, it has changed nothing; cut off after the decision, or
   * while the ledger is away, the wallet is closed by `LeftWallets`. Answered once every instance refuses its keys.
   * Pages that it could still pay on are ended; what is paid all the same is told to the operator.
   * Whoever was a member is one no more, and their sessions for it end.
   * @param asItStands The account, as whoever decided about it saw it. @param also Runs in that transaction.
   * @throws AppError `conflict` for the last owner of an account of others, and when the account was changed meanwhile.
   */
  async delete(
    { id, passwordHash }: Pick<AccountEntity, 'id' | 'passwordHash'>,
    also: (transaction: EntityManager) => Promise<void> = async () => {},
  ): Promise<void> {
    const { clock, keyChanges, ledger, members, unitOfWork } = this.parts;
    const closedAtMs = clock.nowMs();
    const noted = await unitOfWork.transact(async (transaction) => {
      // It locks accounts in their order, so it comes before the account's own row is.
      const left = await members.forget(transaction, id);
      const nobody = {
        email: '',
        emailNormalised: `deleted:${id}`,
        emailVerifiedAtMs: null,
        name: 'Deleted account',
        passwordHash: '',
        closedAtMs,
      };
      const { affected } = await transaction.update(AccountEntity, { id, passwordHash, closedAtMs: IsNull() }, nobody);
      if (affected !== 1) throw changedMeanwhile();
      await transaction.update('api_key', { accountId: id, revokedAtMs: IsNull() }, { revokedAtMs: closedAtMs });
      await transaction.update('auto_top_up', { accountId: id }, { isOn: false, cardId: null });
      for (const table of tablesOfPerson) await transaction.delete(table, { personId: id });
      for (const table of tablesOfAccount) await transaction.delete(table, { accountId: id });
      // What others were told of a budget has the name of the member, or of the account.
      for (const kind of ['member-budget', 'own-budget']) {
        await transaction.delete('notice', { subjectKey: Between(`${kind}:${id}:`, `${kind}:${id};`) });
      }
      await transaction.delete(EmailVerificationEntity, { accountId: id });
      await transaction.delete(AccountLinkEntity, { accountId: id });
      await endSessions(transaction, id);
      await forgetEvents(transaction, id);
      await also(transaction);
      return [...left, await keyChanges.note(transaction, { accountId: id, keyId: null })];
    });
    // The account is gone by now, whatever comes of this: its wallet must not outlive a deletion, nor a refused one close it.
    await ledger.setWalletState({ accountId: id, state: 'closing' }).catch(() => {});
    for (const change of noted) await keyChanges.takenOver(change);
    await this.parts.endCheckouts?.(id).catch(() => {});
  }
}

function changedMeanwhile(): AppError {
  return new AppError('conflict', 'The account was changed meanwhile. Try again.');
}
