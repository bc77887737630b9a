import type { UnitOfWork } from '../database/unit-of-work.js';
import type { OpenAttemptCounter } from '../kernel/attempt-counter.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { Ledger } from '../ledger/ledger.js';
import { AccountService } from './account-service.js';
import { AccountSettings, type KeyEndings } from './account-settings.js';
import { EmailVerifications, type EmailVerificationsParts } from './email-verifications.js';
import { KnownDevices } from './known-devices.js';
import { Passwords } from './passwords.js';
import { SessionService } from './session-service.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { SignUpThrottle } from './sign-up-throttle.js';
import { SignupGifts, type SignupGiftsParts } from './signup-gift.js';

export interface AccountsParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Pick<Ledger, 'grantCredits' | 'setWalletState'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keyChanges: KeyEndings;
  readonly outbox: EmailVerificationsParts['outbox'];
  onVerified(accountId: string): void;
  readonly openCounter: OpenAttemptCounter;
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
  const sessions = new SessionService(unitOfWork, clock);
  const verifications = new EmailVerifications({ ...parts, publicUrl: config.publicUrl });
  const owners = { ...parts, sessions, passwords: new Passwords(), throttle: new SignInThrottle(openCounter) };
  const accounts = new AccountService({
    ...owners,
    verifications,
    devices: new KnownDevices(unitOfWork, clock),
    signUpThrottle: new SignUpThrottle(openCounter, config.signUpsPerHour),
    signupGifts: new SignupGifts({ ...parts, ...config, limits: config.signupGifts }),
  });
  return { sessions, verifications, accounts, settings: new AccountSettings(owners) };
}
