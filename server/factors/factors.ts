import type { Viewer } from '../accounts/session-service.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { InvalidInputError, NotFoundError } from '../kernel/app-error.js';
import { type AuthenticatorApps, deleteAuthenticatorApp, type NewAuthenticatorApp } from './authenticator-apps.js';
import type { CodeThrottle } from './code-throttle.js';
import type { FactorNotices } from './factor-notices.js';
import { createRecoveryCodes, type RecoveryCodes, readTypedCode, replaceRecoveryCodes } from './recovery-codes.js';

export interface FactorsParts {
  readonly unitOfWork: UnitOfWork;
  readonly apps: AuthenticatorApps;
  readonly recoveryCodes: Pick<RecoveryCodes, 'countLeft'>;
  readonly throttle: CodeThrottle;
  readonly notices: FactorNotices;
  /** Notes that the owner of a session has just proved to be its owner, by something that the owner has. */
  noteProof(viewer: Viewer): Promise<void>;
  /** What the owner signs in with; an app shows it. */
  findLabel(accountId: string): Promise<string>;
}

/** What an account has beside its password. */
export interface FactorStanding {
  /** null: there is no app. */
  readonly authenticatorAppSinceMs: number | null;
  readonly recoveryCodesLeft: number;
}

/** A session that changes something, and where it comes from. */
export interface FactorChange {
  readonly viewer: Viewer;
  readonly address: string;
}

/** What the owner of an account changes about its factors. Whether the session may, `FreshFactors` has judged before. */
export class Factors {
  constructor(private readonly parts: FactorsParts) {}

  async describe(accountId: string): Promise<FactorStanding> {
    const { apps, recoveryCodes } = this.parts;
    const [authenticatorAppSinceMs, recoveryCodesLeft] = await Promise.all([
      apps.findSince(accountId),
      recoveryCodes.countLeft(accountId),
    ]);
    return { authenticatorAppSinceMs, recoveryCodesLeft };
  }

  /** @throws AppError `conflict` as `AuthenticatorApps.start` does. */
  async startApp(accountId: string): Promise<NewAuthenticatorApp> {
    return this.parts.apps.start(accountId, await this.parts.findLabel(accountId));
  }

  /**
   * Puts the app in force by its first code; from then on a sign-in asks for one.
   * @returns ten recovery codes, which cannot be had again; earlier ones are worth nothing any more.
   * @throws InvalidInputError for a wrong `code`; AppError `conflict` when none was begun; `rate_limit_exceeded`.
   */
  async confirmApp({ viewer, address }: FactorChange, text: string): Promise<readonly string[]> {
    const { apps, notices, throttle } = this.parts;
    const { accountId, sessionId } = viewer;
    const attempt = { accountId, address, trustedAs: `session ${sessionId}` };
    await throttle.countCode(attempt);
    const codes = createRecoveryCodes();
    const tell = await notices.compose(accountId, 'appAdded');
    const isRight = await apps.confirm(accountId, readTypedCode(text), async (transaction) => {
      await replaceRecoveryCodes(transaction, accountId, codes);
      await tell(transaction);
    });
    if (!isRight)
      throw new InvalidInputError('code', 'This is not the code that the app shows now. Enter the next one.');
    await throttle.forgiveCode(attempt);
    await this.parts.noteProof(viewer);
    return codes;
  }

  /** Takes the app away, and the recovery codes with it. @throws NotFoundError when there is none. */
  async removeApp(accountId: string): Promise<void> {
    const tell = await this.parts.notices.compose(accountId, 'appRemoved');
    await this.parts.unitOfWork.transact(async (transaction) => {
      if (!(await deleteAuthenticatorApp(transaction, accountId))) throw new NotFoundError('authenticator app');
      await replaceRecoveryCodes(transaction, accountId, []);
      await tell(transaction);
    });
  }

  /** @returns ten new recovery codes in the place of the earlier ones. @throws NotFoundError where no factor needs them. */
  async renewRecoveryCodes(accountId: string): Promise<readonly string[]> {
    if ((await this.parts.apps.findSince(accountId)) === null) throw new NotFoundError('second factor');
    const codes = createRecoveryCodes();
    const tell = await this.parts.notices.compose(accountId, 'recoveryCodesRenewed');
    await this.parts.unitOfWork.transact(async (transaction) => {
      await replaceRecoveryCodes(transaction, accountId, codes);
      await tell(transaction);
    });
    return codes;
  }
}
