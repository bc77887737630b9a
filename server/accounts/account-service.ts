import { IsNull } from 'typeorm';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { openWallet } from '../ledger/open-wallet.js';
import { AccountEntity } from './account.entity.js';
import type { Passwords } from './passwords.js';
import type { SessionService, Viewer } from './session-service.js';
import type { SignInThrottle } from './sign-in-throttle.js';
import { assertSignUpRules, normaliseEmail } from './sign-up-rules.js';
import type { SignUpThrottle } from './sign-up-throttle.js';
import type { SignupGifts } from './signup-gift.js';

export type Account = Readonly<Pick<AccountEntity, 'id' | 'email' | 'name' | 'preferredProvider' | 'createdAtMs'>>;

/** Where a request comes from. */
export interface RequestOrigin {
  /** The network address. */
  readonly address: string;
  /** What the program calls itself; null: it does not say. */
  readonly userAgent: string | null;
}

/** An account whose owner has just proved to be its owner. */
export interface SignedIn {
  readonly account: Account;
  readonly sessionToken: string;
}

export interface AccountServiceParts {
  readonly unitOfWork: UnitOfWork;
  readonly sessions: SessionService;
  readonly passwords: Passwords;
  readonly throttle: SignInThrottle;
  readonly signUpThrottle: SignUpThrottle;
  readonly clock: Clock;
  readonly signupGifts: Pick<SignupGifts, 'give'>;
}

/** Signing up, signing in and signing out. */
export class AccountService {
  constructor(private readonly parts: AccountServiceParts) {}

  /**
   * Makes an account with an open wallet, and signs its owner in. Two sign-ups with one e-mail make one account.
   * @throws InvalidInputError for a field that breaks `sign-up-rules.ts`; AppError `conflict` when the e-mail is taken;
   *   `rate_limit_exceeded` after too many sign-ups from one network.
   */
  async signUp(input: { email: string; password: string; name: string; from: RequestOrigin }): Promise<SignedIn> {
    assertSignUpRules(input);
    await this.parts.signUpThrottle.countSignUp(input.from.address);
    const account: AccountEntity = {
      id: createId('account'),
      email: input.email.trim(),
      emailNormalised: normaliseEmail(input.email),
      name: input.name.trim(),
      passwordHash: await this.parts.passwords.hashPassword(input.password),
      keyRevision: 0,
      preferredProvider: null,
      emailVerifiedAtMs: null,
      createdAtMs: this.parts.clock.nowMs(),
      closedAtMs: null,
    };
    await this.#insertAccount(account);
    await this.parts.signupGifts.give(account, input.from.address);
    return { account, sessionToken: await this.parts.sessions.startSession(account, input.from.userAgent) };
  }

  /**
   * Starts a session for whoever knows the password.
   * @throws AppError `unauthenticated`, in the same words and time whether the e-mail is unknown or the password is wrong;
   *   `rate_limit_exceeded` after ten failures in fifteen minutes.
   */
  async signIn(input: { email: string; password: string; from: RequestOrigin }): Promise<SignedIn> {
    const attempt = { emailNormalised: normaliseEmail(input.email), address: input.from.address };
    await this.parts.throttle.countAttempt(attempt);
    const account = await this.parts.unitOfWork.reader.findOneBy(AccountEntity, {
      emailNormalised: attempt.emailNormalised,
      closedAtMs: IsNull(),
    });
    const isRight = await this.parts.passwords.isPasswordOf(account?.passwordHash ?? null, input.password);
    if (!account || !isRight) throw new AppError('unauthenticated', 'The e-mail or the password is wrong.');
    await this.parts.throttle.forgive(attempt);
    return { account, sessionToken: await this.parts.sessions.startSession(account, input.from.userAgent) };
  }

  /** Ends the session; its token is worth nothing from then on. */
  async signOut(viewer: Viewer): Promise<void> {
    await this.parts.sessions.endSession(viewer);
  }

  async findAccount(accountId: string): Promise<Account | null> {
    return this.parts.unitOfWork.reader.findOneBy(AccountEntity, { id: accountId });
  }

  async #insertAccount(account: AccountEntity): Promise<void> {
    try {
      await this.parts.unitOfWork.transact(async (transaction) => {
        await transaction.insert(AccountEntity, account);
        await openWallet(transaction, account.id);
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const message = 'There is an account with this e-mail already. Sign in instead.';
      throw new AppError('conflict', message, { param: 'email', cause: error });
    }
  }
}
