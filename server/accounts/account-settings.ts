import { type EntityManager, IsNull } from 'typeorm';
import { forgetEvents, noteEvent } from '../audit/note-event.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import type { Ledger } from '../ledger/ledger.js';
import { AccountEntity } from './account.entity.js';
import type { Account } from './account-service.js';
import { EmailVerificationEntity } from './email-verification.entity.js';
import { assertPasswordRules } from './password-rules.js';
import { isOfPassword, type Passwords } from './passwords.js';
import { AccountLinkEntity } from './recovery/account-link.entity.js';
import { endSessions, type SessionService, type Viewer } from './session-service.js';
import type { SignInThrottle } from './sign-in-throttle.js';
import { assertNameRules } from './sign-up-rules.js';

/** Who tells every instance that the keys of an account ended. */
export interface KeyEndings<Noted = unknown> {
  note(transaction: EntityManager, changed: { readonly accountId: string; readonly keyId: null }): Promise<Noted>;
  takenOver(noted: Noted): Promise<void>;
}

/** Who knows the members of accounts. */
export interface MembersOfAccounts {
  /** @throws AppError `conflict` when an account of others would be left without an owner. */
  assertMayEnd(personId: string): Promise<void>;
  forget(transaction: EntityManager, accountId: string): Promise<void>;
}

export interface AccountSettingsParts {
  readonly members: MembersOfAccounts;
  readonly unitOfWork: UnitOfWork;
  readonly keyChanges: KeyEndings;
  readonly ledger: Pick<Ledger, 'setWalletState'>;
  readonly sessions: SessionService;
  readonly passwords: Passwords;
  readonly throttle: SignInThrottle;
  readonly clock: Clock;
}

/** Who asks, and the password that proves it. */
export interface PasswordProof {
  readonly viewer: Viewer;
  readonly password: string;
  /** The caller's network address, for the throttle. */
  readonly address: string;
}

const noPasswordYet =
  'Your account has no password yet. Sign out, ask for one by “Forgot your password?”, and come back; for a fresh proof alone, sign in again.';

/** What the owner of an account may change about it. */
export class AccountSettings {
  constructor(private readonly parts: AccountSettingsParts) {}

  /** @throws InvalidInputError for a name that breaks `sign-up-rules.ts`. */
  async rename(accountId: string, name: string): Promise<Account> {
    assertNameRules(name);
    const { unitOfWork } = this.parts;
    const change = { name: name.trim() };
    await unitOfWork.transact(async (transaction) => {
      await transaction.update(AccountEntity, { id: accountId }, change);
      await noteEvent(transaction, { accountId, kind: 'profile_changed' });
    });
    return unitOfWork.reader.findOneByOrFail(AccountEntity, { id: accountId });
  }

  /**
   * Changes the password and, in the same transaction, ends every other session. A sign-in with the old password that is under
   * way fails.
   * @throws InvalidInputError for a wrong `currentPassword` or a `newPassword` that breaks the rules; AppError
   *   `rate_limit_exceeded` after ten wrong ones of this session in fifteen minutes.
   */
  async changePassword(proof: PasswordProof, newPassword: string): Promise<void> {
    assertPasswordRules('newPassword', newPassword);
    const account = await this.proveOwner(proof, 'currentPassword');
    assertPasswordRules('newPassword', newPassword, [account.email, account.name]);
    const passwordHash = await this.parts.passwords.hashPassword(newPassword);
    const { sessionId } = proof.viewer;
    await this.parts.unitOfWork.transact(async (transaction) => {
      const { id, passwordHash: oldHash } = account;
      const { affected } = await transaction.update(AccountEntity, { id, passwordHash: oldHash }, { passwordHash });
      if (affected !== 1) throw new AppError('conflict', 'The password was changed meanwhile. Sign in again.');
      await endSessions(transaction, id, sessionId);
      await noteEvent(transaction, { accountId: id, kind: 'password_changed' });
    });
  }

  /**
   * Closes the account for good. First its wallet, so that no new call begins; running calls end and are billed, and the
   * ledger closes the wallet after the last of them. Then, in one transaction: keys revoked, sessions ended, no card charged and
   * no alert sent any more, the row emptied
   * of everything that tells who it was, so that the same e-mail may sign up again. Credits that are left stay on the closed
   * wallet, out of anybody's reach; the journal is kept, as books must be. Cut off in the middle, it can be asked again. Answered
   * once no instance takes its keys for good.
   * Whoever was a member is one no more, and their sessions for it end.
   * @throws InvalidInputError for a wrong `password`; AppError `rate_limit_exceeded` as above; `conflict` for the last owner of an
   *   account of others.
   */
  async deleteAccount(proof: PasswordProof): Promise<void> {
    const { id, passwordHash } = await this.proveOwner(proof, 'password');
    await this.parts.members.assertMayEnd(id);
    await this.parts.ledger.setWalletState({ accountId: id, state: 'closing' });
    const closedAtMs = this.parts.clock.nowMs();
    const { keyChanges, unitOfWork } = this.parts;
    const noted = await unitOfWork.transact(async (transaction) => {
      const nobody = {
        email: '',
        emailNormalised: `deleted:${id}`,
        emailVerifiedAtMs: null,
        name: 'Deleted account',
        passwordHash: '',
        closedAtMs,
      };
      const { affected } = await transaction.update(AccountEntity, { id, passwordHash }, nobody);
      if (affected !== 1) throw new AppError('conflict', 'The account was changed meanwhile. Try again.');
      // Named by their tables, since accounts know no keys and no purchases.
      await transaction.update('api_key', { accountId: id, revokedAtMs: IsNull() }, { revokedAtMs: closedAtMs });
      await transaction.update('auto_top_up', { accountId: id }, { isOn: false, cardId: null });
      await transaction.delete('balance_alert', { accountId: id });
      await transaction.delete('notice_read', { accountId: id });
      await transaction.delete('notice_read', { personId: id });
      for (const table of ['authenticator_app', 'recovery_code', 'passkey', 'factor_recovery', 'linked_identity'])
        await transaction.delete(table, { accountId: id });
      for (const table of ['refusal', 'receipt_link', 'key_network', 'saved_item'])
        await transaction.delete(table, { accountId: id });
      // They name the address that it had.
      await transaction.delete('notice', { accountId: id });
      await transaction.delete(EmailVerificationEntity, { accountId: id });
      await transaction.delete(AccountLinkEntity, { accountId: id });
      await this.parts.members.forget(transaction, id);
      await endSessions(transaction, id);
      await forgetEvents(transaction, id);
      return keyChanges.note(transaction, { accountId: id, keyId: null });
    });
    await keyChanges.takenOver(noted);
  }

  /** @throws InvalidInputError for a wrong `password`; AppError `rate_limit_exceeded` as `changePassword` does. */
  async provePassword(proof: PasswordProof): Promise<void> {
    await this.proveOwner(proof, 'password');
  }

  /**
   * The account of whoever asks, once the password has proved who that is.
   * @param field What the caller calls the password.
   * @throws InvalidInputError naming it for a wrong one; AppError `rate_limit_exceeded` as `changePassword` does.
   */
  async proveOwner({ viewer, password, address }: PasswordProof, field: string): Promise<AccountEntity> {
    const account = await this.parts.unitOfWork.reader.findOneByOrFail(AccountEntity, { id: viewer.accountId });
    if (!isOfPassword(account.passwordHash)) throw new InvalidInputError(field, noPasswordYet);
    // Whoever has a session is no stranger, and what strangers do at the sign-in is none of their business.
    const deviceId = `session ${viewer.sessionId}`;
    const attempt = { emailNormalised: account.emailNormalised, address, deviceId };
    await this.parts.throttle.countAttempt(attempt);
    if (!(await this.parts.passwords.isPasswordOf(account.passwordHash, password))) {
      throw new InvalidInputError(field, 'This is not the password of your account.');
    }
    await this.parts.throttle.forgive(attempt);
    return account;
  }
}
