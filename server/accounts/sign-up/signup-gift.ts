import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { isUniqueViolation } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { networkBlockOf } from '../../kernel/addresses/network-address.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import type { Ledger } from '../../ledger/ledger.js';
import { TooManyError, takeOne } from '../take-one.js';
import { giftMailboxOf } from './gift-mailbox.js';
import { SignupGiftEntity } from './signup-gift.entity.js';
import { SignupGiftRequestEntity } from './signup-gift-request.entity.js';

export interface SignupGiftsParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Pick<Ledger, 'grantCredits'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 0: no gifts. */
  readonly signupMillicredits: number;
  /** How many on one day for one network, and in one hour for everybody. */
  readonly limits: { readonly perNetworkMax: number; readonly perHourMax: number };
}

interface NewAccount {
  readonly id: string;
  readonly emailNormalised: string;
}

/**
 * The gift for signing up, with bounds that make farming it not worth the while: once per mailbox, however its address is
 * spelled; so many a day for one network; so many an hour for all. Who gets none signs up all the same.
 */
export class SignupGifts {
  constructor(private readonly parts: SignupGiftsParts) {}

  /** Asks for the gift in the transaction that makes the account, so that it is not forgotten, whatever happens then. */
  async ask(
    transaction: EntityManager,
    { id: accountId, emailNormalised }: NewAccount,
    address: string,
  ): Promise<void> {
    const { clock, signupMillicredits: millicredits } = this.parts;
    if (millicredits === 0) return;
    const mailboxHash = hashMailbox(emailNormalised);
    const row = { accountId, mailboxHash, network: networkBlockOf(address), millicredits, askedAtMs: clock.nowMs() };
    await transaction.insert(SignupGiftRequestEntity, row);
  }

  /**
   * Grants an account what it has asked for, once, if the bounds permit it. Never throws: a gift that fails does not undo a sign-up.
   * @returns false when that failed; then it is still asked for, and `LeftGifts` gives it later.
   */
  async give(accountId: string): Promise<boolean> {
    const { logger, unitOfWork } = this.parts;
    try {
      const request = await unitOfWork.reader.findOneBy(SignupGiftRequestEntity, { accountId });
      if (request === null) return true;
      const refusal = await this.#book(request);
      if (refusal === null) await this.#grant(request);
      else logger.warn('signup_gift_refused', { accountId, reason: refusal });
      await unitOfWork.transactForServer((transaction) => transaction.delete(SignupGiftRequestEntity, { accountId }));
      return true;
    } catch (error) {
      logger.error('signup_grant_failed', { accountId, error });
      return false;
    }
  }

  async #grant({ accountId, millicredits }: SignupGiftRequestEntity): Promise<void> {
    const transferId = `grant:signup:${accountId}`;
    const amountMillicredits = toMillicredits(millicredits);
    const result = await this.parts.ledger.grantCredits({ transferId, type: 'grant', accountId, amountMillicredits });
    if (result.status === 'refused') throw new Error(`The ledger refused the gift: ${result.reason}.`);
  }

  /** @returns why there is no gift; null: it is booked. All bounds are kept by the database, whoever else signs up now. */
  async #book({ accountId, mailboxHash, network, askedAtMs: givenAtMs }: SignupGiftRequestEntity) {
    const { limits, unitOfWork } = this.parts;
    const at = new Date(givenAtMs).toISOString();
    try {
      await unitOfWork.transactForServer(async (transaction) => {
        await takeOne(transaction, `network ${network} on ${at.slice(0, 10)}`, limits.perNetworkMax);
        await takeOne(transaction, `everybody at ${at.slice(0, 13)}`, limits.perHourMax);
        await transaction.insert(SignupGiftEntity, { accountId, mailboxHash, network, givenAtMs });
      });
      return null;
    } catch (error) {
      const isMailboxServed = isUniqueViolation(error);
      if (!isMailboxServed && !(error instanceof TooManyError)) throw error;
      // It has its place already where an earlier attempt came no further.
      if (await unitOfWork.reader.existsBy(SignupGiftEntity, { accountId })) return null;
      return isMailboxServed ? 'this mailbox has had its gift' : (error as TooManyError).message;
    }
  }
}

/** The mailbox behind an address, as `giftMailboxOf` knows it. Anybody's address, so only its hash is kept. */
export function hashMailbox(email: string): string {
  return createHash('sha256').update(giftMailboxOf(email)).digest('hex');
}
