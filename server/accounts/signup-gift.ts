import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { toMillicredits } from '../kernel/millicredits.js';
import type { Ledger } from '../ledger/ledger.js';
import { networkOf } from './network-of.js';
import { SignupGiftEntity } from './signup-gift.entity.js';
import { SignupGiftCountEntity } from './signup-gift-count.entity.js';

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

class TooManyGiftsError extends Error {}

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
      const refusal = await this.#book(account, toNetwork(address));
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
      if (error instanceof TooManyGiftsError) return error.message;
      if (isUniqueViolation(error)) return 'this mailbox has had its gift';
      throw error;
    }
  }
}

async function takeOne(transaction: EntityManager, scope: string, max: number): Promise<void> {
  const takeAnother = () =>
    transaction
      .createQueryBuilder()
      .update(SignupGiftCountEntity)
      .set({ given: () => 'given + 1' })
      .where('scope = :scope AND given < :max', { scope, max })
      .execute();
  if ((await takeAnother()).affected === 1) return;
  if (await transaction.existsBy(SignupGiftCountEntity, { scope })) throw new TooManyGiftsError(`no more for ${scope}`);
  // Ignored when another sign-up makes the same row at this moment; then the count below is that row's.
  await transaction
    .createQueryBuilder()
    .insert()
    .into(SignupGiftCountEntity)
    .values({ scope, given: 0 })
    .orIgnore()
    .execute();
  if ((await takeAnother()).affected !== 1) throw new TooManyGiftsError(`no more for ${scope}`);
}

/** The network that an address is counted with: a /24 of IPv4, a /56 of IPv6. */
export function toNetwork(address: string): string {
  const network = networkOf(address);
  return network.includes('/') ? network : `${network.split('.').slice(0, 3).join('.')}.0/24`;
}

/**
 * What is compared to know a mailbox: what stands behind a plus never makes another one, and dots do not with Google. Anybody's
 * address, so only its hash is kept.
 */
export function hashMailbox(emailNormalised: string): string {
  const at = emailNormalised.lastIndexOf('@');
  const host = emailNormalised.slice(at + 1);
  const name = emailNormalised.slice(0, at).replace(/\+.*$/, '');
  const isGoogle = host === 'gmail.com' || host === 'googlemail.com';
  const mailbox = isGoogle ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${host}`;
  return createHash('sha256').update(mailbox).digest('hex');
}
