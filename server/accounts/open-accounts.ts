import { FailedSignIns } from '../audit/failed-sign-ins.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { OpenAttemptCounter } from '../kernel/attempt-counter.js';
import type { Clock } from '../kernel/clock.js';
import { isId } from '../kernel/ids.js';
import { SeldomTold } from '../kernel/jobs/seldom-told.js';
import type { Logger } from '../kernel/logger.js';
import type { Ledger } from '../ledger/ledger.js';
import {
  AccountDeletion,
  type AccountDeletionParts,
  type KeyEndings,
  type MembersOfAccounts,
} from './account-deletion.js';
import { AccountService, type AccountServiceParts } from './account-service.js';
import { AccountSettings } from './account-settings.js';
import { LeftWallets } from './left-wallets.js';
import type { LinkOutbox, SecretLink } from './recovery/account-links.js';
import { EmailChanges } from './recovery/email-changes.js';
import { PasswordResets } from './recovery/password-resets.js';
import { ResetThrottle } from './recovery/reset-throttle.js';
import { FactorSignIn } from './sign-in/factor-sign-in.js';
import { KnownDevices } from './sign-in/known-devices.js';
import { Passwords } from './sign-in/passwords.js';
import { SessionService } from './sign-in/session-service.js';
import type { SignInFactors } from './sign-in/sign-in-factors.js';
import { SignInThrottle } from './sign-in/sign-in-throttle.js';
import { EmailVerifications, type EmailVerificationsParts } from './sign-up/email-verifications.js';
import { LeftGifts } from './sign-up/left-gifts.js';
import { SignUpBlocks } from './sign-up/sign-up-blocks.js';
import { GuardedSignUp } from './sign-up/sign-up-gate.js';
import { SignUpInvitations } from './sign-up/sign-up-invitations.js';
import { SignUpThrottle } from './sign-up/sign-up-throttle.js';
import { SignupGifts, type SignupGiftsParts } from './sign-up/signup-gift.js';

export interface AccountsParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Pick<Ledger, 'grantCredits' | 'setWalletState'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keyChanges: KeyEndings;
  readonly outbox: EmailVerificationsParts['outbox'] & LinkOutbox & NonNullable<AccountServiceParts['outbox']>;
  onVerified(accountId: string): void;
  readonly openCounter: OpenAttemptCounter;
  readonly factors: SignInFactors;
  readonly members: MembersOfAccounts;
  readonly endCheckouts?: NonNullable<AccountDeletionParts['endCheckouts']>;
}

export interface AccountsConfig {
  readonly publicUrl: string;
  readonly signUpsPerHour: number;
  readonly signupMillicredits: number;
  readonly signupGifts: SignupGiftsParts['limits'];
}

/** Everything about who signs up and in. Starts nothing. */
export function openAccounts(parts: AccountsParts, config: AccountsConfig) {
  const { unitOfWork, clock, openCounter } = parts;
  const sessions = new SessionService(unitOfWork, clock, parts.members);
  const verifications = new EmailVerifications({ ...parts, publicUrl: config.publicUrl });
  const busy = new SeldomTold(clock);
  const passwords = new Passwords(() => busy.note((times) => parts.logger.warn('passwords_busy', { times })));
  const owners = { ...parts, sessions, passwords, throttle: new SignInThrottle(openCounter) };
  const failures = new FailedSignIns(unitOfWork, clock, parts.logger);
  const devices = new KnownDevices(unitOfWork, clock);
  const signUpBlocks = new SignUpBlocks(unitOfWork, clock);
  const signUpInvitations = new SignUpInvitations({ ...parts, publicUrl: config.publicUrl });
  const signupGifts = new SignupGifts({ ...parts, ...config, limits: config.signupGifts });
  const accounts = new AccountService({
    ...owners,
    failures,
    verifications,
    devices,
    signUpGate: new GuardedSignUp(signUpBlocks, signUpInvitations),
    signUpThrottle: new SignUpThrottle(openCounter, config.signUpsPerHour),
    signupGifts,
  });
  const factorSignIn = new FactorSignIn({ ...parts, devices, accounts });
  const settings = new AccountSettings(owners);
  const recovering = { ...owners, settings, publicUrl: config.publicUrl };
  const resets = new PasswordResets({ ...recovering, throttle: new ResetThrottle(openCounter) });
  const emailChanges = new EmailChanges(recovering);
  const createLink = async (linkId: string): Promise<SecretLink | null> => {
    if (isId('signUpInvitation', linkId)) {
      const url = await signUpInvitations.createLink(linkId);
      return url === null ? null : { url, command: 'invite create' };
    }
    if (!isId('emailVerification', linkId)) {
      return (await resets.createLink(linkId)) ?? (await emailChanges.createLink(linkId));
    }
    const url = await verifications.createLink(linkId);
    return url === null ? null : { url, command: 'verification-link' };
  };
  const leftWallets = new LeftWallets(parts);
  const leftGifts = new LeftGifts({ ...parts, gifts: signupGifts });
  const start = () => {
    failures.start();
    leftWallets.job.start();
    leftGifts.start();
  };
  const close = async () => {
    await Promise.all([failures.close(), leftWallets.job.close(), leftGifts.close()]);
  };
  return {
    sessions,
    verifications,
    accounts,
    factorSignIn,
    settings,
    resets,
    emailChanges,
    createLink,
    signUpBlocks,
    signUpInvitations,
    deletion: new AccountDeletion(parts),
    keepers: { start, close },
  };
}
