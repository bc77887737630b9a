import { isUniqueViolation } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { StripeCustomerEntity } from './stripe-customer.entity.js';

/** Which account is which customer of Stripe's. The first one kept stays. */
export class StripeCustomers {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async findCustomerId(accountId: string, isLive: boolean): Promise<string | null> {
    const row = await this.unitOfWork.reader.findOneBy(StripeCustomerEntity, { accountId, isLive });
    return row?.customerId ?? null;
  }

  /** @returns the customer that is kept, which is another one when two requests made one each. */
  async keepCustomerId(accountId: string, isLive: boolean, customerId: string): Promise<string> {
    try {
      const row = { accountId, isLive, customerId };
      await this.unitOfWork.transact((transaction) => transaction.insert(StripeCustomerEntity, row));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    return (await this.findCustomerId(accountId, isLive)) ?? customerId;
  }
}
