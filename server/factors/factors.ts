import type { EntityManager } from 'typeorm';
import { assertWayIn } from '../accounts/identities/ways-in.js';
import { noteEvent } from '../audit/note-event.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { InvalidInputError, NotFoundError } from '../kernel/app-error.js';
import type { Viewer } from '../kernel/viewer.js';
import {
  type AuthenticatorApps,
  deleteAuthenticatorApp,
  hasAuthenticatorApp,
  type NewAuthenticatorApp,
} from './authenticator-apps.js';
import type { CodeThrottle } from './code-throttle.js';
import type { FactorNotices } from './factor-notices.js';
import type { FactorRecovery } from './factor-recovery.js';
import { hasPasskeys, type Passkey, type Passkeys } from './passkeys/passkeys.js';
import {
  createRecoveryCodes,
  findCodeSet,
  hasRecoveryCodes,
  type RecoveryCodes,
  readTypedCode,
  replaceRecoveryCodes,
  replaceSeenCodes,
} from './recovery-codes.js';

export interface FactorsParts {
  readonly unitOfWork: UnitOfWork;
  readonly apps: AuthenticatorApps;
  readonly passkeys: Passkeys;
  readonly recovery: Pick<FactorRecovery, 'findDue'>;
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
  readonly passkeys: readonly Passkey[];
  /** When all of them go, since their owner has lost them; null: they stay. */
  readonly recoveryDueAtMs: number | null;
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
    const { apps, passkeys, recovery, recoveryCodes } = this.parts;
    const [authenticatorAppSinceMs, recoveryCodesLeft, listed, recoveryDueAtMs] = await Promise.all([
      apps.findSince(accountId),
      recoveryCodes.countLeft(accountId),
      passkeys.list(accountId),
      recovery.findDue(accountId),
    ]);
    return { authenticatorAppSinceMs, recoveryCodesLeft, passkeys: listed, recoveryDueAtMs };
  }

  /** @throws AppError `conflict` as `AuthenticatorApps.start` does. */
  async startApp(accountId: string): Promise<NewAuthenticatorApp> {
    return this.parts.apps.start(accountId, await this.parts.findLabel(accountId));
  }

  /**
   * Puts the app in force by its first code; from then on a sign-in asks for one.
   * @returns ten recovery codes, which cannot be had again; earlier ones are worth nothing any more.
   * @throws InvalidInputError for a wrong `code`; AppError `conflict` when none was begun, or others are shown codes at this moment;
   *   `rate_limit_exceeded`.
   */
  async confirmApp({ viewer, address }: FactorChange, text: string): Promise<readonly string[]> {
    const { apps, notices, throttle } = this.parts;
    const { accountId, sessionId } = viewer;
    const attempt = { accountId, address, trustedAs: `session ${sessionId}` };
    await throttle.countCode(attempt);
    const seen = await findCodeSet(this.parts.unitOfWork.reader, accountId);
    const codes = createRecoveryCodes();
    const tell = await notices.compose(accountId, 'appAdded');
    const isRight = await apps.confirm(accountId, readTypedCode(text), async (transaction) => {
      await replaceSeenCodes(transaction, { accountId, seen, codes });
      await noteEvent(transaction, { accountId, kind: 'authenticator_added' });
      await tell(transaction);
    });
    if (!isRight)
      throw new InvalidInputError('code', 'This is not the code that the app shows now. Enter the next one.');
    await throttle.forgiveCode(attempt);
    await this.parts.noteProof(viewer);
    return codes;
  }

  /** Takes the app away, and with the last factor the recovery codes. @throws NotFoundError when there is none. */
  async removeApp(accountId: string): Promise<void> {
    const tell = await this.parts.notices.compose(accountId, 'appRemoved');
    await this.parts.unitOfWork.transact(async (transaction) => {
      if (!(await deleteAuthenticatorApp(transaction, accountId))) throw new NotFoundError('authenticator app');
      await this.#forgetUselessCodes(transaction, accountId);
      await noteEvent(transaction, { accountId, kind: 'authenticator_removed' });
      await tell(transaction);
    });
  }

  /** @throws as `Passkeys.startNew` does. */
  async startPasskey(viewer: Viewer): Promise<string> {
    return this.parts.passkeys.startNew(viewer, await this.parts.findLabel(viewer.accountId));
  }

  /**
   * Adds the passkey that this session began.
   * @returns it, and ten recovery codes when it is the account's first factor.
   * @throws as `Passkeys.add` does.
   */
  async addPasskey(viewer: Viewer, input: { readonly name: string; readonly response: string }) {
    const { accountId } = viewer;
    const codes = createRecoveryCodes();
    const tell = await this.parts.notices.compose(accountId, 'passkeyAdded');
    let recoveryCodes: readonly string[] = [];
    const passkey = await this.parts.passkeys.add(viewer, input, async (transaction, { id, name }) => {
      recoveryCodes = (await hasRecoveryCodes(transaction, accountId)) ? [] : codes;
      if (recoveryCodes.length > 0) await replaceRecoveryCodes(transaction, accountId, codes);
      await noteEvent(transaction, { accountId, kind: 'passkey_added', subjectId: id, detail: name });
      await tell(transaction);
    });
    await this.parts.noteProof(viewer);
    return { passkey, recoveryCodes };
  }

  /** @throws as `Passkeys.rename` does. */
  renamePasskey(accountId: string, id: string, name: string): Promise<Passkey> {
    return this.parts.passkeys.rename(accountId, id, name, (transaction, passkey) =>
      noteEvent(transaction, { accountId, kind: 'passkey_renamed', subjectId: id, detail: passkey.name }),
    );
  }

  /** @throws NotFoundError; AppError `conflict` when nothing else would sign its owner in. */
  async removePasskey(accountId: string, id: string): Promise<void> {
    const tell = await this.parts.notices.compose(accountId, 'passkeyRemoved');
    await this.parts.passkeys.remove(accountId, id, async (transaction, { name }) => {
      await noteEvent(transaction, { accountId, kind: 'passkey_removed', subjectId: id, detail: name });
      await this.#forgetUselessCodes(transaction, accountId);
      await assertWayIn(transaction, accountId);
      await tell(transaction);
    });
  }

  /**
   * @returns ten new recovery codes in the place of the earlier ones; of several who ask at once, to one alone.
   * @throws NotFoundError where no factor needs them; AppError `conflict` to the others.
   */
  async renewRecoveryCodes(accountId: string): Promise<readonly string[]> {
    const seen = await findCodeSet(this.parts.unitOfWork.reader, accountId);
    const { authenticatorAppSinceMs, passkeys } = await this.describe(accountId);
    if (authenticatorAppSinceMs === null && passkeys.length === 0) throw new NotFoundError('second factor');
    const codes = createRecoveryCodes();
    const tell = await this.parts.notices.compose(accountId, 'recoveryCodesRenewed');
    await this.parts.unitOfWork.transact(async (transaction) => {
      await replaceSeenCodes(transaction, { accountId, seen, codes });
      await noteEvent(transaction, { accountId, kind: 'recovery_codes_made' });
      await tell(transaction);
    });
    return codes;
  }

  // Codes open what asks for a factor, and nothing does any more.
  async #forgetUselessCodes(transaction: EntityManager, accountId: string): Promise<void> {
    if (await hasAuthenticatorApp(transaction, accountId)) return;
    if (await hasPasskeys(transaction, accountId)) return;
    await replaceRecoveryCodes(transaction, accountId, []);
  }
}
