import { type EntityManager, IsNull } from 'typeorm';
import type { FailedSignIns } from '../audit/failed-sign-ins.js';
import { noteEvent } from '../audit/note-event.js';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import type { Mail } from '../kernel/texts/mail.js';
import type { Viewer } from '../kernel/viewer.js';
import { openWallet } from '../ledger/open-wallet.js';
import { AccountEntity } from './account.entity.js';
import { findAccountByEmail } from './find-account-by-email.js';
import { normaliseEmail } from './mailbox.js';
import { isKeptForOwner } from './recovery/account-links.js';
import type { KnownDevices } from './sign-in/known-devices.js';
import { describeNewDevice } from './sign-in/new-device-notice.js';
import { createNoPassword, type Passwords, PasswordsBusyError } from './sign-in/passwords.js';
import type { ProofMeans } from './sign-in/session.entity.js';
import type { SessionService } from './sign-in/session-service.js';
import { markPassword, SecondStepError, type SignInFactors } from './sign-in/sign-in-factors.js';
import type { SignInThrottle } from './sign-in/sign-in-throttle.js';
import type { EmailVerifications } from './sign-up/email-verifications.js';
import type { Admission, SignUpGate } from './sign-up/sign-up-gate.js';
import { assertEmailRules, assertSignUpRules, nameOfOwner, type SignUpFields } from './sign-up/sign-up-rules.js';
import type { SignUpThrottle } from './sign-up/sign-up-throttle.js';
import type { SignupGifts } from './sign-up/signup-gift.js';

export type Account = Readonly<
  Pick<AccountEntity, 'id' | 'email' | 'emailVerifiedAtMs' | 'name' | 'preferredProvider' | 'createdAtMs'>
>;

/** Where a request comes from. */
export interface RequestOrigin {
  /** The network address. */
  readonly address: string;
  /** What the program calls itself; null: it does not say. */
  readonly userAgent: string | null;
  /** By which the device is known from earlier sign-ins. */
  readonly deviceTokens: readonly string[];
}

/** An account whose owner has just proved to be its owner. */
export interface SignedIn {
  readonly account: Account;
  readonly sessionToken: string;
  /** What the device is to be known by from now on. */
  readonly deviceTokens: readonly string[];
}

export interface SignUpOrigin {
  readonly from: RequestOrigin;
  /** The token of an invitation; null or left out: there is none. */
  readonly invitation?: string | null;
}

export interface AccountServiceParts {
  readonly unitOfWork: UnitOfWork;
  readonly sessions: SessionService;
  readonly passwords: Passwords;
  readonly throttle: SignInThrottle;
  readonly signUpThrottle: SignUpThrottle;
  readonly signUpGate: SignUpGate;
  readonly devices: KnownDevices;
  readonly factors: Pick<SignInFactors, 'isAsked' | 'beginSecondStep' | 'takeCode'>;
  readonly verifications: Pick<EmailVerifications, 'greet' | 'remind'>;
  readonly clock: Clock;
  readonly signupGifts: Pick<SignupGifts, 'ask' | 'give'>;
  /** Where the owner is told of an unknown device; left out: nowhere. */
  readonly outbox?: { put(transaction: EntityManager, notice: Mail): Promise<boolean> };
  /** Left out: failed sign-ins are not written down. */
  readonly failures?: Pick<FailedSignIns, 'note'>;
}

/** Signing up, signing in and signing out. */
export class AccountService {
  constructor(private readonly parts: AccountServiceParts) {}

  /**
   * Makes an account with an open wallet, and signs its owner in. Two sign-ups with one e-mail make one account.
   * @throws InvalidInputError for a field that breaks `sign-up-rules.ts`; AppError `conflict` when the e-mail is taken;
   *   `rate_limit_exceeded` after too many sign-ups from one network; as `SignUpGate.admit`.
   */
  async signUp(input: SignUpFields & SignUpOrigin): Promise<SignedIn> {
    assertSignUpRules(input);
    const admission = await this.#admit(input);
    const passwordHash = await this.#hashForNewcomer(input);
    const account = newAccount(input, passwordHash, this.parts.clock.nowMs());
    await this.#insertAccount(account, input.from, admission);
    await this.parts.signupGifts.give(account.id);
    await this.parts.verifications.greet(account);
    return this.#begin(account, input.from, 'password');
  }

  /**
   * As `signUp`, without a password, for whoever a provider that this server trusts has found to read mail at the address, which is
   * verified then.
   * @param also Written in the transaction that makes the account.
   * @throws as `signUp` does.
   */
  async signUpProven(
    input: Omit<SignUpFields, 'password'> & SignUpOrigin,
    also: (transaction: EntityManager, accountId: string) => Promise<void>,
  ): Promise<SignedIn> {
    assertEmailRules('email', input.email);
    const admission = await this.#admit(input);
    const nowMs = this.parts.clock.nowMs();
    const account = { ...newAccount(input, createNoPassword(), nowMs), emailVerifiedAtMs: nowMs };
    await this.#insertAccount(account, input.from, admission, (transaction) => also(transaction, account.id));
    await this.parts.signupGifts.give(account.id);
    return this.#begin(account, input.from, 'provider');
  }

  /**
   * Starts a session for whoever knows the password and, where the account asks for it, a code.
   * @param input.code Of the authenticator app, or a recovery code; null: it is asked for in a second step.
   * @throws AppError `unauthenticated`, in the same words and time whether the e-mail is unknown or the password is wrong;
   *   `rate_limit_exceeded` as `SignInThrottle` says; SecondStepError when all is right but the code is missing;
   *   InvalidInputError for a wrong `code`.
   */
  async signIn(input: {
    email: string;
    password: string;
    code?: string | null;
    from: RequestOrigin;
  }): Promise<SignedIn> {
    const { devices, factors, passwords, throttle } = this.parts;
    const { address, deviceTokens } = input.from;
    const found = await findAccountByEmail(this.parts.unitOfWork.reader, input.email);
    const deviceId = await devices.find(found?.id ?? null, deviceTokens);
    const attempt = { emailNormalised: normaliseEmail(input.email), address, deviceId };
    const account = await throttle.run(attempt, async () => {
      const owner = deviceId === null ? 'stranger' : 'known';
      const isRight = await passwords.isPasswordOf(found?.passwordHash ?? null, input.password, owner);
      if (found && isRight) return found;
      this.parts.failures?.note(found?.id ?? null, { ...input.from, actorId: null });
      throw new AppError('unauthenticated', 'The e-mail or the password is wrong.');
    });
    if (!(await factors.isAsked(account.id))) return this.letIn(account, input.from, 'password');
    if (!input.code) {
      const step = { accountId: account.id, passwordMark: markPassword(account.passwordHash) };
      throw new SecondStepError(await factors.beginSecondStep(step));
    }
    await factors.takeCode({ accountId: account.id, address, trustedAs: deviceId }, input.code);
    return this.letIn(account, input.from, 'factor');
  }

  /** Starts a session for an owner who has proved all that the account asks for. @throws as `SessionService.startSession` does. */
  async letIn(account: AccountEntity, from: RequestOrigin, provedBy: ProofMeans): Promise<SignedIn> {
    await this.parts.verifications.remind(account);
    return this.#begin(account, from, provedBy, (transaction) => this.#tellOfDevice(transaction, account, from));
  }

  /** Ends the session; its token is worth nothing from then on. */
  async signOut(viewer: Viewer): Promise<void> {
    await this.parts.sessions.endSession(viewer);
  }

  async findAccount(accountId: string): Promise<Account | null> {
    return this.parts.unitOfWork.reader.findOneBy(AccountEntity, { id: accountId });
  }

  /** Where an account may be told something by mail: its verified address; null: nowhere yet. */
  async findVerifiedEmail(accountId: string): Promise<string | null> {
    const account = await this.parts.unitOfWork.reader.findOneBy(AccountEntity, {
      id: accountId,
      closedAtMs: IsNull(),
    });
    return account?.emailVerifiedAtMs ? account.email : null;
  }

  async #begin(
    account: AccountEntity,
    { userAgent, deviceTokens }: RequestOrigin,
    provedBy: ProofMeans,
    whenNew?: (transaction: EntityManager) => Promise<unknown>,
  ): Promise<SignedIn> {
    const sessionToken = await this.parts.sessions.startSession(account, userAgent, provedBy);
    return {
      account,
      sessionToken,
      deviceTokens: await this.parts.devices.remember(account.id, deviceTokens, whenNew),
    };
  }

  async #tellOfDevice(transaction: EntityManager, account: AccountEntity, from: RequestOrigin): Promise<void> {
    if (account.emailVerifiedAtMs === null) return;
    await this.parts.outbox?.put(transaction, describeNewDevice(account, from, this.parts.clock.nowMs()));
  }

  async #admit({ email, from: { address }, invitation = null }: Pick<SignUpFields, 'email'> & SignUpOrigin) {
    await this.parts.signUpThrottle.countSignUp(address);
    return this.parts.signUpGate.admit({ email, address, invitation });
  }

  async #hashForNewcomer({ password, from: { address } }: SignUpFields & SignUpOrigin): Promise<string> {
    try {
      return await this.parts.passwords.hashPassword(password, 'newcomer');
    } catch (error) {
      // What is told of addresses and invitations stays counted.
      if (error instanceof PasswordsBusyError) await this.parts.signUpThrottle.forgiveSignUp(address);
      throw error;
    }
  }

  async #insertAccount(
    account: AccountEntity,
    { address }: RequestOrigin,
    admission: Admission,
    also: (transaction: EntityManager) => Promise<void> = async () => {},
  ): Promise<void> {
    // On record in a spelling that no account is made with any more.
    if (await findAccountByEmail(this.parts.unitOfWork.reader, account.email)) throw emailTaken();
    try {
      await this.parts.unitOfWork.transact(async (transaction) => {
        await transaction.insert(AccountEntity, account);
        await openWallet(transaction, account.id);
        const invitationId = await admission(transaction);
        const subject = invitationId === null ? {} : { subjectId: invitationId };
        await noteEvent(transaction, { accountId: account.id, kind: 'signed_up', ...subject });
        // Read behind the insert, which waits for a change of address that frees this one at the same moment.
        if (await isKeptForOwner(transaction, account, account.createdAtMs)) throw emailTaken();
        await also(transaction);
        await this.parts.signupGifts.ask(transaction, account, address);
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw emailTaken(error);
    }
  }
}

function newAccount(
  input: Pick<SignUpFields, 'email' | 'name'>,
  passwordHash: string,
  createdAtMs: number,
): AccountEntity {
  return {
    id: createId('account'),
    email: input.email.trim(),
    emailNormalised: normaliseEmail(input.email),
    name: nameOfOwner(input),
    passwordHash,
    keyRevision: 0,
    preferredProvider: null,
    emailVerifiedAtMs: null,
    createdAtMs,
    closedAtMs: null,
  };
}

function emailTaken(cause?: unknown): AppError {
  const message = 'There is an account with this e-mail already. Sign in instead.';
  return new AppError('conflict', message, { param: 'email', cause });
}
