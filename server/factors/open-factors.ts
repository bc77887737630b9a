import type { AccountService } from '../accounts/account-service.js';
import type { AccountSettings } from '../accounts/account-settings.js';
import type { SessionService } from '../accounts/sign-in/session-service.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { OpenAttemptCounter } from '../kernel/attempt-counter.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { AuthenticatorApps } from './authenticator-apps.js';
import { CodeThrottle } from './code-throttle.js';
import { FactorNotices, type FactorNoticesParts } from './factor-notices.js';
import { FactorRecovery, type FactorRecoveryParts } from './factor-recovery.js';
import { Factors } from './factors.js';
import { FreshFactors } from './fresh-factors.js';
import { Passkeys } from './passkeys/passkeys.js';
import { PendingProofs } from './pending-proofs.js';
import { RecoveryCodes } from './recovery-codes.js';
import { SecondFactors } from './second-factors.js';
import { SecretBox, type SecretBoxSettings } from './secret-box.js';

export interface OpenFactorsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly openCounter: OpenAttemptCounter;
  readonly findBelievedMs: FactorRecoveryParts['findBelievedMs'];
  readonly outbox: FactorNoticesParts['outbox'];
}

export interface FactorsConfig extends SecretBoxSettings {
  readonly publicUrl: string;
}

/** What factors ask of accounts, which are opened with them. */
export interface AccountsOfFactors {
  readonly accounts: Pick<AccountService, 'findAccount' | 'findVerifiedEmail'>;
  readonly sessions: Pick<SessionService, 'findProof' | 'noteProof'>;
  readonly settings: Pick<AccountSettings, 'provePassword'>;
}

/**
 * Everything about what people prove themselves by, beside passwords. Starts nothing.
 * @param findAccounts Asked when they are needed, since accounts are opened with what this returns.
 */
export function openFactors(parts: OpenFactorsParts, config: FactorsConfig, findAccounts: () => AccountsOfFactors) {
  const { unitOfWork, clock, openCounter, outbox } = parts;
  const findEmail = (accountId: string) => findAccounts().accounts.findVerifiedEmail(accountId);
  const notices = new FactorNotices({ outbox, findEmail });
  const apps = new AuthenticatorApps({ ...parts, secretBox: new SecretBox(config) });
  const recoveryCodes = new RecoveryCodes(unitOfWork, clock);
  const pendingProofs = new PendingProofs(unitOfWork, clock);
  const passkeys = new Passkeys({ unitOfWork, clock, pendingProofs, publicUrl: config.publicUrl });
  const recovery = new FactorRecovery({ ...parts, notices, publicUrl: config.publicUrl });
  const shared = {
    unitOfWork,
    apps,
    passkeys,
    recovery,
    recoveryCodes,
    notices,
    throttle: new CodeThrottle(openCounter),
  };
  const secondFactors = new SecondFactors({ ...shared, pendingProofs });
  const factors = new Factors({
    ...shared,
    noteProof: (viewer) => findAccounts().sessions.noteProof(viewer, 'factor'),
    findLabel: async (accountId) => (await findAccounts().accounts.findAccount(accountId))?.email ?? accountId,
  });
  const freshFactors = new FreshFactors({
    clock,
    secondFactors,
    factors,
    passkeys,
    recovery,
    sessions: {
      findProof: (viewer) => findAccounts().sessions.findProof(viewer),
      noteProof: (viewer, by) => findAccounts().sessions.noteProof(viewer, by),
    },
    provePassword: (proof) => findAccounts().settings.provePassword(proof),
  });
  return { factors, freshFactors, secondFactors, recovery, pendingProofs, notices };
}
