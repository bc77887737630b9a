import { randomBytes } from 'node:crypto';
import { type EntityManager, LessThanOrEqual } from 'typeorm';
import type { SecretLink } from '../accounts/recovery/account-links.js';
import { noteEvent } from '../audit/note-event.js';
import { hasCome } from '../database/time/has-come.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { AttemptCounter, OpenAttemptCounter } from '../kernel/attempt-counter.js';
import type { Clock } from '../kernel/clock.js';
import { createId, isId } from '../kernel/ids.js';
import { hashText } from '../kernel/texts/hash-text.js';
import { deleteAuthenticatorApp, hasAuthenticatorApp } from './authenticator-apps.js';
import type { FactorNotices } from './factor-notices.js';
import { FactorRecoveryEntity } from './factor-recovery.entity.js';
import { deletePasskeys, hasPasskeys } from './passkeys/passkeys.js';
import { replaceRecoveryCodes } from './recovery-codes.js';

const hourMs = 3_600_000;
const linkLifetimeMs = 24 * hourMs;
const waitMs = 72 * hourMs;
const mailsPerDayMax = 3;

export interface FactorRecoveryParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly notices: FactorNotices;
  readonly openCounter: OpenAttemptCounter;
  readonly publicUrl: string;
  /** A time that has surely come, as `ProvenTime` reads it. Milliseconds since 1970. */
  findBelievedMs(): Promise<number>;
}

/**
 * The way back for whoever has lost all factors, recovery codes included: the password, then a link that is mailed to the
 * verified address, then 72 hours in which every session can cancel. The owner is told at the begin and at the end, so that a
 * stranger who has password and mailbox is seen.
 */
export class FactorRecovery {
  readonly #mails: AttemptCounter;

  constructor(private readonly parts: FactorRecoveryParts) {
    const rule = { kind: 'factor recovery', max: mailsPerDayMax, windowMs: 24 * hourMs, isFinal: true };
    this.#mails = parts.openCounter(rule);
  }

  /** When the factors go; null: nobody has proved to want that. */
  async findDue(accountId: string): Promise<number | null> {
    const found = await this.parts.unitOfWork.reader.findOneBy(FactorRecoveryEntity, { accountId });
    return found?.dueAtMs ?? null;
  }

  /**
   * Mails the link, three times a day; an earlier link is worth nothing then.
   * @throws AppError `conflict` without a factor or a verified address, and while the wait runs; `rate_limit_exceeded`.
   */
  async request(accountId: string): Promise<void> {
    const { notices, unitOfWork } = this.parts;
    const linkId = createId('factorRecovery');
    const mail = await notices.composeLink(accountId, linkId);
    if (mail === null) {
      const words =
        'There is no verified address to send a link to. Use a recovery code, or ask the operator of this server.';
      throw new AppError('conflict', words);
    }
    const { waitMs: untilNextMs } = await this.#mails.count(accountId);
    if (untilNextMs > 0) {
      const words = 'Too many of these e-mails were sent today. Check your spam folder.';
      throw new AppError('rate_limit_exceeded', words, { retryAfterMs: untilNextMs });
    }
    await unitOfWork.transact(async (transaction) => {
      // Changes nothing, and has whoever opens an earlier link wait, so that no wait begins behind what is read here.
      await transaction.update(FactorRecoveryEntity, { accountId }, { accountId });
      const hasFactor =
        (await hasAuthenticatorApp(transaction, accountId)) || (await hasPasskeys(transaction, accountId));
      if (!hasFactor) throw new AppError('conflict', 'Your account has no second factor.');
      const found = await transaction.findOneBy(FactorRecoveryEntity, { accountId });
      if (found?.dueAtMs)
        throw new AppError('conflict', 'The 72 hours have already started. Sign in again when they are over.');
      const row = { accountId, linkId, tokenHash: null, linkEndsAtMs: null, dueAtMs: null };
      await transaction.upsert(FactorRecoveryEntity, row, ['accountId']);
      await mail(transaction);
    });
  }

  /** Makes the link of a mail that is about to leave. @returns null when nobody needs it any more. */
  async createLink(linkId: string): Promise<SecretLink | null> {
    const { clock, publicUrl, unitOfWork } = this.parts;
    const token = `tgf_${randomBytes(32).toString('base64url')}`;
    const change = { tokenHash: hashText(token), linkEndsAtMs: clock.nowMs() + linkLifetimeMs };
    const { affected } = await unitOfWork.transact((transaction) =>
      transaction.update(FactorRecoveryEntity, { linkId }, change),
    );
    // Behind the #, so that it stands in no server's log.
    return affected === 1 ? { url: `${publicUrl}/recover-factors#${token}`, command: null } : null;
  }

  /**
   * Takes the token of a link, once, and begins the wait.
   * @returns when the factors go. @throws AppError `not_found`, in the same words for a wrong, a used and an old one.
   */
  async start(token: string): Promise<number> {
    const { clock, notices, unitOfWork } = this.parts;
    const tokenHash = hashText(token);
    const nowMs = clock.nowMs();
    const found = await unitOfWork.reader.findOneBy(FactorRecoveryEntity, { tokenHash });
    const dueAtMs = nowMs + waitMs;
    const tell = found && (await notices.compose(found.accountId, 'recoveryBegun'));
    const isTaken = await unitOfWork.transact(async (transaction) => {
      if (!found || tell === null || hasCome(found.linkEndsAtMs ?? 0, nowMs, linkLifetimeMs)) return false;
      const unused = { accountId: found.accountId, tokenHash };
      const { affected } = await transaction.update(FactorRecoveryEntity, unused, { tokenHash: null, dueAtMs });
      if (affected !== 1) return false;
      await noteEvent(transaction, { accountId: found.accountId, kind: 'factor_recovery_begun' });
      await tell(transaction);
      return true;
    });
    if (isTaken) return dueAtMs;
    const words = 'This link is wrong, already used, or older than 24 hours. Sign in, and ask for another one.';
    throw new AppError('not_found', words, { param: 'token' });
  }

  /** Ends it, whether it waits or was only asked for. @returns whether there was one. */
  async cancel(accountId: string): Promise<boolean> {
    return this.parts.unitOfWork.transact(async (transaction) => {
      const { affected } = await transaction.delete(FactorRecoveryEntity, { accountId });
      if (affected === 1) await noteEvent(transaction, { accountId, kind: 'factor_recovery_ended' });
      return affected === 1;
    });
  }

  /**
   * Takes all factors away when the wait is over: when its time has surely come, since factors do not come back. That is up to a day
   * later where this process has not watched the clock for a day. A wait that the clock, set right, makes longer than 72 hours begins anew.
   * @returns whether it was over.
   */
  async completeIfDue(accountId: string): Promise<boolean> {
    const { clock, findBelievedMs, notices, unitOfWork } = this.parts;
    const nowMs = clock.nowMs();
    const found = await unitOfWork.reader.findOneBy(FactorRecoveryEntity, { accountId });
    if (!found?.dueAtMs) return false;
    if (found.dueAtMs > nowMs) {
      if (hasCome(found.dueAtMs, nowMs, waitMs)) await this.#waitAnew(found, nowMs);
      return false;
    }
    const surelyMs = Math.min(nowMs, await findBelievedMs());
    if (found.dueAtMs > surelyMs) return false;
    const due = { accountId, dueAtMs: LessThanOrEqual(surelyMs) };
    const tell = await notices.compose(accountId, 'recoveryDone');
    return unitOfWork.transact(async (transaction) => {
      const { affected } = await transaction.delete(FactorRecoveryEntity, due);
      if (affected !== 1) return false;
      await removeAllFactors(transaction, accountId);
      await noteEvent(transaction, { accountId, kind: 'factors_removed' });
      await tell(transaction);
      return true;
    });
  }

  async #waitAnew({ accountId, dueAtMs }: FactorRecoveryEntity, nowMs: number): Promise<void> {
    await this.parts.unitOfWork.transact((transaction) =>
      transaction.update(FactorRecoveryEntity, { accountId, dueAtMs }, { dueAtMs: nowMs + waitMs }),
    );
  }
}

/** Whether the link of a mail is made here. */
export function isRecoveryLink(linkId: string): boolean {
  return isId('factorRecovery', linkId);
}

async function removeAllFactors(transaction: EntityManager, accountId: string): Promise<void> {
  await deleteAuthenticatorApp(transaction, accountId);
  await deletePasskeys(transaction, accountId);
  await replaceRecoveryCodes(transaction, accountId, []);
}
