import type { EntityManager } from 'typeorm';
import type { Config } from '../config/config.js';
import { PlainFailure } from '../kernel/settings/plain-failure.js';
import { PurchaseEntity } from './purchase.entity.js';
import { isLiveKey, stripeGatewayName } from './stripe/stripe-api.js';
import { StripeCustomerEntity } from './stripe/stripe-customer.entity.js';

/**
 * Whether credits were ever sold for real money on this database: somebody whom Stripe's live mode knows has paid. Who paid with test cards
 * first, and has only begun to pay for real, counts as well.
 */
export function hasRealPayments(manager: EntityManager): Promise<boolean> {
  return manager
    .createQueryBuilder(StripeCustomerEntity, 'customer')
    .innerJoin(PurchaseEntity, 'purchase', 'purchase.accountId = customer.accountId')
    .where('customer.isLive = :isLive', { isLive: true })
    .andWhere('purchase.gateway = :gateway AND purchase.status = :status')
    .setParameters({ gateway: stripeGatewayName, status: 'paid' })
    .getExists();
}

/**
 * Resolves unless credits that cost nothing would be sold beside those that were paid for: by a test key of Stripe's, or by the simulated
 * checkout.
 * @throws PlainFailure in one line that names the remedy.
 */
export async function assertMoneyIsReal(
  manager: EntityManager,
  { stripe, isProduction }: Pick<Config, 'stripe' | 'isProduction'>,
): Promise<void> {
  const sellsNothing = stripe === null && isProduction;
  if (sellsNothing || (stripe !== null && isLiveKey(stripe.secretKey)) || !(await hasRealPayments(manager))) return;
  const source = stripe === null ? 'It is empty, so that the checkout is simulated' : 'It is a test key';
  throw new PlainFailure(
    `STRIPE_SECRET_KEY: ${source}, and credits were sold for real money on this database: payments of nothing would buy the same. ` +
      'Set the live key, or NODE_ENV=production without a key, which sells nothing, or name another database in DATABASE_URL. ' +
      'What makes a copy one to try things out on: docs/operations/start-and-stop.md.',
  );
}
