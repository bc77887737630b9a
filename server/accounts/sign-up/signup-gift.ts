import { createHash } from 'node:crypto';
import { isUniqueViolation } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { networkBlockOf } from '../../kernel/addresses/network-address.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import type { Ledger } from '../../ledger/ledger.js';
import { mailboxOf } from '../mailbox.js';
import { TooManyError, takeOne } from '../take-one.js';
import { SignupGiftEntity } from './signup-gift.entity.js';

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

  /** Grants the gift if the bounds permit it. Never throws: a gift that fails does not undo a sign-up. */
  async give(account: NewAccount, address: string): Promise<void> {
    const { ledger, logger, signupMillicredits } = this.parts;
    if (signupMillicredits === 0) return;
    const { id: accountId } = account;
    try {
      const refusal = await this.#book(account, networkBlockOf(address));
      if (refusal !== null) {
        logger.warn('signup_gift_refused', { accountId, reason: refusal });
        return;
      }
      await ledger.grantCredits({
        transferId: `grant:signup:${accountId}`,
        type: 'grant',
        accountId,
        amountMillicredits: toMillicredits(signupMillicredits),
      });
    } catch (error) {
      // The log names whom the operator owes it.
      logger.error('signup_grant_failed', { accountId, error });
    }
  }

  /** @returns why there is no gift; null: it is booked. All bounds are kept by the database, whoever else signs up now. */
  async #book({ id: accountId, emailNormalised }: NewAccount, network: string): Promise<string | null> {
    const { clock, limits, unitOfWork } = this.parts;
    const givenAtMs = clock.nowMs();
    const at = new Date(givenAtMs).toISOString();
    try {
      await unitOfWork.transact(async (transaction) => {
        await takeOne(transaction, `network ${network} on ${at.slice(0, 10)}`, limits.perNetworkMax);
        await takeOne(transaction, `everybody at ${at.slice(0, 13)}`, limits.perHourMax);
        const mailboxHash = hashMailbox(emailNormalised);
        await transaction.insert(SignupGiftEntity, { accountId, mailboxHash, network, givenAtMs });
      });
      return null;
    } catch (error) {
      if (error instanceof TooManyError) return error.message;
      if (isUniqueViolation(error)) return 'this mailbox has had its gift';
      throw error;
    }
  }
}

/** The mailbox behind an address, as `mailboxOf` knows it. Anybody's address, so only its hash is kept. */
export function hashMailbox(email: string): string {
  return createHash('sha256').update(mailboxOf(email)).digest('hex');
}
