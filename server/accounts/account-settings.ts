import { noteEvent } from '../audit/note-event.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Viewer } from '../kernel/viewer.js';
import { AccountEntity } from './account.entity.js';
import { AccountDeletion, type AccountDeletionParts } from './account-deletion.js';
import type { Account } from './account-service.js';
import { assertPasswordRules } from './sign-in/password-rules.js';
import { isOfPassword, type Passwords } from './sign-in/passwords.js';
import { endSessions, oldestSessionMs, type SessionService } from './sign-in/session-service.js';
import type { SignInThrottle } from './sign-in/sign-in-throttle.js';
import { assertNameRules } from './sign-up/sign-up-rules.js';

export interface AccountSettingsParts extends AccountDeletionParts {
  readonly sessions: SessionService;
  readonly passwords: Passwords;
  readonly throttle: SignInThrottle;
}

/** Who asks, and the password that proves it. */
export interface PasswordProof {
  readonly viewer: Viewer;
  readonly password: string;
  /** The caller's network address, for the throttle. */
  readonly address: string;
}

const noPasswordYet =
  'Your account has no password yet. Sign out and set one with “Forgot your password?”. If you only need to confirm that it is you, sign in again.';

/** What the owner of an account may change about it. */
export class AccountSettings {
  readonly #deletion: AccountDeletion;

  constructor(private readonly parts: AccountSettingsParts) {
    this.#deletion = new AccountDeletion(parts);
  }

  /** @throws InvalidInputError for a name that breaks `sign-up-rules.ts`. */
  async rename(accountId: string, name: string): Promise<Account> {
    assertNameRules(name);
    const { unitOfWork } = this.parts;
    const change = { name: name.trim() };
    await unitOfWork.transactInTurn(accountId, async (transaction) => {
      await transaction.update(AccountEntity, { id: accountId }, change);
      await noteEvent(transaction, { accountId, kind: 'profile_changed' });
    });
    return unitOfWork.reader.findOneByOrFail(AccountEntity, { id: accountId });
  }

  /**
   * Changes the password and, in the same transaction, ends every other session and all that was begun and not finished, as
   * `endSessions` says. A sign-in with the old password that is under way fails, and so does a change of the address. Automatic top-ups
   * to which one of the sessions that end may have agreed are off until the person agrees again, and they are mailed.
   * @throws InvalidInputError for a wrong `currentPassword` or a `newPassword` that breaks the rules; AppError
   *   `rate_limit_exceeded` after ten wrong ones of this session in fifteen minutes.
   */
  async changePassword(proof: PasswordProof, newPassword: string): Promise<void> {
    assertPasswordRules('newPassword', newPassword);
    const account = await this.proveOwner(proof, 'currentPassword');
    assertPasswordRules('newPassword', newPassword, [account.email, account.name]);
    const passwordHash = await this.parts.passwords.hashPassword(newPassword);
    const { sessionId } = proof.viewer;
    const { clock, members, unitOfWork } = this.parts;
    await unitOfWork.transactInTurn(account.id, async (transaction) => {
      const { id, passwordHash: oldHash } = account;
      const { affected } = await transaction.update(AccountEntity, { id, passwordHash: oldHash }, { passwordHash });
      if (affected !== 1) throw new AppError('conflict', 'The password was changed meanwhile. Sign in again.');
      await endSessions(transaction, id, sessionId);
      const sinceMs = oldestSessionMs(clock.nowMs());
      const withdrawn = { personId: id, sinceMs, keptSessionId: sessionId, isPersonTold: true };
      await members.withdrawConsents(transaction, withdrawn);
      await noteEvent(transaction, { accountId: id, kind: 'password_changed' });
    });
  }

  /**
   * Closes the account for ever, as `AccountDeletion.delete` says.
   * @throws as it does; InvalidInputError for a wrong `password`; AppError `rate_limit_exceeded` as above.
   */
  async deleteAccount(proof: PasswordProof): Promise<void> {
    await this.#deletion.delete(await this.proveOwner(proof, 'password'));
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
    await this.parts.throttle.run(attempt, async () => {
      if (await this.parts.passwords.isPasswordOf(account.passwordHash, password)) return;
      throw new InvalidInputError(field, 'This is not the password of your account.');
    });
    return account;
  }
}
