import type { EntityManager } from 'typeorm';
import { allowDuplicate } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { StripeCustomerEntity } from './stripe-customer.entity.js';

/** A customer that Stripe does not have any more, and whose it was. */
export interface GoneCustomer {
  readonly accountId: string;
  readonly isLive: boolean;
  readonly goneId: string;
}

/** Which account is which customer of Stripe's. The first one kept stays, for as long as Stripe has it. */
export class StripeCustomers {
  /** @param forgetCards Runs in the transaction that replaces a customer: its cards are gone with it. */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly forgetCards: (transaction: EntityManager, gone: GoneCustomer) => Promise<void>,
  ) {}

  async findCustomerId(accountId: string, isLive: boolean): Promise<string | null> {
    const row = await this.unitOfWork.reader.findOneBy(StripeCustomerEntity, { accountId, isLive });
    return row?.customerId ?? null;
  }

  /** @returns the customer that is kept, which is another one when two requests made one each. */
  async keepCustomerId(accountId: string, isLive: boolean, customerId: string): Promise<string> {
    const row = { accountId, isLive, customerId };
    await allowDuplicate(
      this.unitOfWork.transactForServer((transaction) => transaction.insert(StripeCustomerEntity, row)),
    );
    return (await this.findCustomerId(accountId, isLive)) ?? customerId;
  }

  /** Puts another in the place of a customer that is gone. @returns the one that is kept: of two requests at once, the first one's. */
  async replaceCustomerId(gone: GoneCustomer, customerId: string): Promise<string> {
    const { accountId, isLive, goneId } = gone;
    await this.unitOfWork.transactForServer(async (transaction) => {
      const row = { accountId, isLive, customerId: goneId };
      const { affected } = await transaction.update(StripeCustomerEntity, row, { customerId });
      if (affected === 1) await this.forgetCards(transaction, gone);
    });
    return (await this.findCustomerId(accountId, isLive)) ?? customerId;
  }
}
