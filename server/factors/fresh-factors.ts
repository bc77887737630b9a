import type { SessionProof } from '../accounts/sign-in/session-service.js';
import { isAged } from '../database/time/has-come.js';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import type { Viewer } from '../kernel/viewer.js';
import type { FactorRecovery } from './factor-recovery.js';
import type { FactorStanding } from './factors.js';
import type { Passkeys } from './passkeys/passkeys.js';
import type { SecondFactors } from './second-factors.js';

const freshMs = 10 * 60_000;

export interface FreshFactorsParts {
  readonly clock: Clock;
  readonly secondFactors: Pick<SecondFactors, 'takeCode'>;
  readonly recovery: Pick<FactorRecovery, 'completeIfDue'>;
  readonly passkeys: Pick<Passkeys, 'startProof' | 'finishProof'>;
  readonly factors: { describe(accountId: string): Promise<FactorStanding> };
  readonly sessions: {
    findProof(viewer: Viewer): Promise<SessionProof | null>;
    noteProof(viewer: Viewer, by: SessionProof['by']): Promise<void>;
  };
  /** @throws InvalidInputError for a wrong `password`; AppError `rate_limit_exceeded`. */
  provePassword(proof: { viewer: Viewer; password: string; address: string }): Promise<void>;
}

/** How a session is asked for a fresh proof. */
export interface FreshRule {
  /** Whether the session came as a cookie. */
  readonly isByCookie: boolean;
  /** Whether an account without a factor is asked, too: for its password. */
  readonly isAskedOfAll: boolean;
}

/** What proves anew who is there: one of the two. */
export interface FreshProof {
  readonly password: string | null;
  /** Of the authenticator app, or a recovery code. */
  readonly code: string | null;
}

/** Asks whoever does something dangerous to prove anew who they are, unless they did so in the last ten minutes. */
export class FreshFactors {
  constructor(private readonly parts: FreshFactorsParts) {}

  /**
   * Lets those pass who have proved within ten minutes to have one of the account's factors, or, where it has none, to know its
   * password. A session that a script sends as a bearer token is not asked for a password: no page that was left open holds
   * that token, and scripts from before there were factors go on.
   * @throws AppError `fresh_factor_required`, whose `proof` says what is asked for.
   */
  async require(viewer: Viewer, { isByCookie, isAskedOfAll }: FreshRule): Promise<void> {
    const proof = (await this.#hasFactor(viewer.accountId)) ? 'factor' : 'password';
    if (proof === 'password' && !(isByCookie && isAskedOfAll)) return;
    const last = await this.parts.sessions.findProof(viewer);
    const isEnough = proof === 'password' || last?.by === 'factor';
    if (last && isEnough && !isAged(last.atMs, this.parts.clock.nowMs(), freshMs)) return;
    const what =
      proof === 'factor'
        ? 'a code of your app or a recovery code with proveFactor, or use a passkey with provePasskey'
        : 'your password with proveFactor';
    const words = `Prove first that it is you: send ${what}, then ask again within 10 minutes.`;
    throw new AppError('fresh_factor_required', words, { metadata: { proof } });
  }

  /**
   * Takes a proof; for ten minutes the session may do what is dangerous.
   * @throws InvalidInputError for a wrong or missing one, naming it; AppError `rate_limit_exceeded` after too many.
   */
  async prove(viewer: Viewer, { password, code }: FreshProof, address: string): Promise<void> {
    const { secondFactors, sessions } = this.parts;
    const { accountId, sessionId } = viewer;
    if (await this.#hasFactor(accountId)) {
      if (!code) throw new InvalidInputError('code', 'Send a code of your authenticator app, or a recovery code.');
      await secondFactors.takeCode({ accountId, address, trustedAs: `session ${sessionId}` }, code);
      await sessions.noteProof(viewer, 'factor');
      return;
    }
    if (!password) throw new InvalidInputError('password', 'Send your password.');
    await this.parts.provePassword({ viewer, password, address });
    await sessions.noteProof(viewer, 'password');
  }

  /** @throws as `Passkeys.startProof` does. */
  startPasskeyProof(viewer: Viewer): Promise<string> {
    return this.parts.passkeys.startProof(viewer);
  }

  /** As `prove`, by a passkey. @throws as `Passkeys.finishProof` does. */
  async provePasskey(viewer: Viewer, response: string): Promise<void> {
    await this.parts.passkeys.finishProof(viewer, response);
    await this.parts.sessions.noteProof(viewer, 'factor');
  }

  async #hasFactor(accountId: string): Promise<boolean> {
    const { authenticatorAppSinceMs, passkeys } = await this.parts.factors.describe(accountId);
    if (authenticatorAppSinceMs === null && passkeys.length === 0) return false;
    return !(await this.parts.recovery.completeIfDue(accountId));
  }
}
