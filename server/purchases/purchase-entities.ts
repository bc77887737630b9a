import { PurchaseEntity } from './purchase.entity.js';
import { PurchaseComparisonEntity } from './purchase-comparison.entity.js';
import { PurchaseReversalEntity } from './purchase-reversal.entity.js';
import { RefundOrderEntity } from './refund-order.entity.js';
import { SimulatedCheckoutEntity } from './simulated/simulated-checkout.entity.js';
import { SimulatedRefundEntity } from './simulated/simulated-refund.entity.js';
import { StripeCustomerEntity } from './stripe/stripe-customer.entity.js';
import { StripeEventEntity } from './stripe/stripe-event.entity.js';

/** The tables of purchases and of the gateways that are asked about them. */
export const purchaseEntities = [
  PurchaseEntity,
  PurchaseComparisonEntity,
  PurchaseReversalEntity,
  RefundOrderEntity,
  SimulatedCheckoutEntity,
  SimulatedRefundEntity,
  StripeCustomerEntity,
  StripeEventEntity,
] as const;
