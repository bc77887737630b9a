import { type EntityManager, IsNull, LessThan, MoreThan, Not } from 'typeorm';
import { holdAccountRow } from '../database/hold-account-row.js';
import { isAged } from '../database/time/has-come.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { AuthenticatorAppEntity } from './authenticator-app.entity.js';
import type { SecretBox } from './secret-box.js';
import { createTotpSecret, findTotpStep, totpUri } from './totp.js';

export interface AuthenticatorAppsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
}

/** What an app is to be given. */
export interface NewAuthenticatorApp {
  /** In Base32, to be typed. */
  readonly secret: string;
  /** The same as an `otpauth:` address, to be opened or shown as a QR code. */
  readonly uri: string;
}

const startLifetimeMs = 60 * 60_000;
const resealedAtOnce = 100;
const begunElsewhere =
  'An authenticator app was begun by another request at the same moment; this one has begun none. Set up the one that was shown, or begin again.';
const alreadyThere = 'Your account has an authenticator app already. Remove it first.';

/** The authenticator app of each account: one secret, encrypted at rest, and each of its codes once. */
export class AuthenticatorApps {
  constructor(private readonly parts: AuthenticatorAppsParts) {}

  /** When it was confirmed; null: there is none. */
  async findSince(accountId: string): Promise<number | null> {
    const app = await this.parts.unitOfWork.reader.findOneBy(AuthenticatorAppEntity, { accountId });
    return app?.confirmedAtMs ?? null;
  }

  /**
   * Makes the secret of an app that is to be confirmed within an hour; an earlier one that was not confirmed is worth nothing. Of several
   * that are begun at once, one is.
   * @throws AppError `conflict` when there is one, its secret cannot be kept, or another is begun at this moment.
   */
  async start(accountId: string, label: string): Promise<NewAuthenticatorApp> {
    const { clock, secretBox, unitOfWork } = this.parts;
    const seen = await unitOfWork.reader.findOneBy(AuthenticatorAppEntity, { accountId });
    const secret = createTotpSecret();
    const sealedSecret = await secretBox.seal(secret, purposeOf(accountId));
    const app = { accountId, sealedSecret, createdAtMs: clock.nowMs(), confirmedAtMs: null, lastStep: 0 };
    await unitOfWork.transact(async (transaction) => {
      await holdAccountRow(transaction, accountId);
      const found = await transaction.findOneBy(AuthenticatorAppEntity, { accountId });
      if (found && found.confirmedAtMs !== null) throw new AppError('conflict', alreadyThere);
      if (found?.sealedSecret !== seen?.sealedSecret) throw new AppError('conflict', begunElsewhere);
      await transaction.delete(AuthenticatorAppEntity, { accountId, confirmedAtMs: IsNull() });
      await transaction.insert(AuthenticatorAppEntity, app);
    });
    return { secret, uri: totpUri(secret, label) };
  }

  /**
   * Puts the app in force by its first code, once, however often it is sent at this moment.
   * @param also Written in the same transaction.
   * @returns whether the code was right.
   * @throws AppError `conflict` when none was begun within the hour.
   */
  async confirm(
    accountId: string,
    code: string,
    also: (transaction: EntityManager) => Promise<void>,
  ): Promise<boolean> {
    const { clock, unitOfWork } = this.parts;
    const nowMs = clock.nowMs();
    const app = await unitOfWork.reader.findOneBy(AuthenticatorAppEntity, { accountId, confirmedAtMs: IsNull() });
    if (!app || isAged(app.createdAtMs, nowMs, startLifetimeMs)) {
      throw new AppError('conflict', 'No app is waiting for its first code. Start again.');
    }
    const lastStep = await this.#findStep(app, code);
    if (lastStep === null) return false;
    await unitOfWork.transact(async (transaction) => {
      const waiting = { accountId, sealedSecret: app.sealedSecret, confirmedAtMs: IsNull() };
      const change = { confirmedAtMs: nowMs, lastStep };
      const { affected } = await transaction.update(AuthenticatorAppEntity, waiting, change);
      if (affected !== 1) throw new AppError('conflict', alreadyThere);
      await also(transaction);
    });
    return true;
  }

  /** Whether this is a code of the account's app, of now and not used before. It is used from then on. */
  async takeCode(accountId: string, code: string): Promise<boolean> {
    const { unitOfWork } = this.parts;
    const inForce = { accountId, confirmedAtMs: Not(IsNull()) };
    const app = await unitOfWork.reader.findOneBy(AuthenticatorAppEntity, inForce);
    const step = app && (await this.#findStep(app, code));
    if (!app || step === null) return false;
    // Of several at once only one finds the step unused.
    const unused = { accountId, sealedSecret: app.sealedSecret, lastStep: LessThan(step) };
    const { affected } = await unitOfWork.transact((transaction) =>
      transaction.update(AuthenticatorAppEntity, unused, { lastStep: step }),
    );
    return affected === 1;
  }

  async #findStep({ accountId, sealedSecret }: AuthenticatorAppEntity, code: string): Promise<number | null> {
    const { clock, logger, secretBox } = this.parts;
    const secret = await secretBox.open(sealedSecret, purposeOf(accountId));
    if (secret !== null) return findTotpStep(secret, code, clock.nowMs());
    const remedy = 'Set SECRETS_KEY to what it was when the app was set up. Recovery codes work meanwhile.';
    logger.error('authenticator_secret_unreadable', { accountId, remedy });
    return null;
  }
}

/** Takes an account's app away, in the caller's transaction. @returns whether there was one in force. */
export async function deleteAuthenticatorApp(transaction: EntityManager, accountId: string): Promise<boolean> {
  const { affected } = await transaction.delete(AuthenticatorAppEntity, { accountId, confirmedAtMs: Not(IsNull()) });
  await transaction.delete(AuthenticatorAppEntity, { accountId });
  return affected === 1;
}

/** Whether an account has an app in force, in the caller's transaction. */
export function hasAuthenticatorApp(transaction: EntityManager, accountId: string): Promise<boolean> {
  return transaction.existsBy(AuthenticatorAppEntity, { accountId, confirmedAtMs: Not(IsNull()) });
}

/** What became of the secrets when they were sealed anew. */
export interface ResealedSecrets {
  readonly resealed: number;
  /** Sealed by the key of now before. */
  readonly current: number;
  /** Opened by no key that is known. */
  readonly unreadable: number;
}

/**
 * Seals every secret of an app by the key of now that the one before it has sealed, beside running servers that know both. May be
 * cut off at any point and begun again. A code that is entered in the very moment of its app may be refused once.
 */
export async function resealSecrets(unitOfWork: UnitOfWork, secretBox: SecretBox): Promise<ResealedSecrets> {
  const counts = { resealed: 0, current: 0, unreadable: 0 };
  for (let last = ''; ; ) {
    const apps = await unitOfWork.reader.find(AuthenticatorAppEntity, {
      where: { accountId: MoreThan(last) },
      order: { accountId: 'ASC' },
      take: resealedAtOnce,
    });
    for (const { accountId, sealedSecret } of apps) {
      const anew = await secretBox.reseal(sealedSecret, purposeOf(accountId));
      counts[anew === null ? 'unreadable' : anew === sealedSecret ? 'current' : 'resealed'] += 1;
      if (anew === null || anew === sealedSecret) continue;
      await unitOfWork.transact((transaction) =>
        transaction.update(AuthenticatorAppEntity, { accountId, sealedSecret }, { sealedSecret: anew }),
      );
    }
    const [final] = apps.slice(-1);
    if (final === undefined) return counts;
    last = final.accountId;
  }
}

function purposeOf(accountId: string): string {
  return `authenticator app of ${accountId}`;
}
