import type { SecondStep, SignInFactors } from '../accounts/sign-in/sign-in-factors.js';
import { noteEvent } from '../audit/note-event.js';
import { InvalidInputError } from '../kernel/app-error.js';
import { Secret } from '../kernel/secret.js';
import type { AuthenticatorApps } from './authenticator-apps.js';
import type { CodeAttempt, CodeThrottle } from './code-throttle.js';
import type { FactorNotices } from './factor-notices.js';
import type { FactorRecovery } from './factor-recovery.js';
import type { Passkeys } from './passkeys/passkeys.js';
import { createHolderToken, type PendingProofs } from './pending-proofs.js';
import { hasFormOfRecoveryCode, type RecoveryCodes, readTypedCode } from './recovery-codes.js';

export interface SecondFactorsParts {
  readonly apps: Pick<AuthenticatorApps, 'findSince' | 'takeCode'>;
  readonly passkeys: Pick<Passkeys, 'startSignIn' | 'finishSignIn'>;
  readonly recoveryCodes: Pick<RecoveryCodes, 'takeCode'>;
  readonly pendingProofs: PendingProofs;
  readonly recovery: Pick<FactorRecovery, 'completeIfDue'>;
  readonly throttle: CodeThrottle;
  readonly notices: FactorNotices;
}

/** What the sign-in and whoever asks for a fresh proof need of an account's factors. */
export class SecondFactors implements SignInFactors {
  constructor(private readonly parts: SecondFactorsParts) {}

  /** An account with an authenticator app asks for more than its password, unless it was lost and the wait is over. */
  async isAsked(accountId: string): Promise<boolean> {
    if ((await this.parts.apps.findSince(accountId)) === null) return false;
    return !(await this.parts.recovery.completeIfDue(accountId));
  }

  async beginSecondStep({ accountId, passwordMark }: SecondStep): Promise<Secret> {
    const holder = createHolderToken();
    await this.parts.pendingProofs.begin({ kind: 'second step', holder }, { accountId, payload: passwordMark });
    return new Secret(holder);
  }

  async findSecondStep(token: string): Promise<SecondStep | null> {
    const found = await this.parts.pendingProofs.find({ kind: 'second step', holder: token });
    return found?.accountId ? { accountId: found.accountId, passwordMark: found.payload } : null;
  }

  async endSecondStep(token: string): Promise<boolean> {
    return (await this.parts.pendingProofs.take({ kind: 'second step', holder: token })) !== null;
  }

  startPasskeySignIn(): Promise<{ readonly options: string; readonly token: Secret }> {
    return this.parts.passkeys.startSignIn();
  }

  finishPasskeySignIn(token: string, response: string): Promise<string> {
    return this.parts.passkeys.finishSignIn(token, response);
  }

  async takeCode(attempt: CodeAttempt, text: string): Promise<void> {
    const code = readTypedCode(text);
    const isRight = /^\d{6}$/.test(code)
      ? await this.#takeAppCode(attempt, code)
      : hasFormOfRecoveryCode(code) && (await this.#takeRecoveryCode(attempt, code));
    if (isRight) return;
    const words = 'This code is wrong, used already, or too old. Enter the next one, or a recovery code.';
    throw new InvalidInputError('code', words);
  }

  async #takeAppCode(attempt: CodeAttempt, code: string): Promise<boolean> {
    const { apps, throttle } = this.parts;
    await throttle.countCode(attempt);
    const isRight = await apps.takeCode(attempt.accountId, code);
    if (isRight) await throttle.forgiveCode(attempt);
    return isRight;
  }

  async #takeRecoveryCode(attempt: CodeAttempt, code: string): Promise<boolean> {
    const { notices, recoveryCodes, throttle } = this.parts;
    await throttle.countRecoveryCode(attempt);
    const tell = await notices.compose(attempt.accountId, 'recoveryCodeUsed');
    const { accountId } = attempt;
    return recoveryCodes.takeCode(accountId, code, async (transaction) => {
      await noteEvent(transaction, { accountId, kind: 'recovery_code_used' });
      await tell(transaction);
    });
  }
}
