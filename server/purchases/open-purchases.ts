import type { StripeSettings } from '../config.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { Ledger } from '../ledger/ledger.js';
import type { PaymentNotice } from './payment-gateway.js';
import { PaymentNotices } from './payment-notices.js';
import { PurchaseReconciler } from './purchase-reconciler.js';
import { PurchaseReconciliation } from './purchase-reconciliation.js';
import { PurchaseService } from './purchase-service.js';
import { SimulatedGateway } from './simulated-gateway.js';
import { StripeCustomers } from './stripe-customers.js';
import type { StripeEventState } from './stripe-event.entity.js';
import { StripeGateway } from './stripe-gateway.js';

export interface PurchasesParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Pick<Ledger, 'grantCredits' | 'reverseGrant' | 'setWalletState'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface PurchasesSettings {
  readonly publicUrl: string;
  readonly isProduction: boolean;
  /** null: no real money is taken. */
  readonly stripe: StripeSettings | null;
}

/** What a webhook needs: to tell a genuine delivery, and to deal with it. */
export interface PaymentWebhook {
  /** null: it is not from the payment gateway. */
  readNotice(rawBody: Buffer, signature: string): PaymentNotice | null;
  receive(notice: PaymentNotice): Promise<StripeEventState | 'known'>;
}

/** Everything about buying credits, by Stripe where its key is set, else simulated, else (in production) not at all. */
export interface Purchases {
  readonly service: PurchaseService;
  readonly simulatedGateway: SimulatedGateway | null;
  /** null unless the webhook has a secret that deliveries are signed with. */
  readonly webhook: PaymentWebhook | null;
  readonly reconciler: PurchaseReconciler | null;
}

/** Makes the objects; starts nothing. */
export function openPurchases(parts: PurchasesParts, settings: PurchasesSettings): Purchases {
  const { publicUrl, isProduction, stripe } = settings;
  if (stripe === null) {
    const remedy = 'Set STRIPE_SECRET_KEY; until then nobody can buy credits.';
    if (isProduction) parts.logger.warn('purchases_off', { remedy });
    const simulatedGateway = isProduction ? null : new SimulatedGateway(parts.unitOfWork, parts.clock, settings);
    const service = new PurchaseService({ ...parts, gateway: simulatedGateway, publicUrl });
    return { service, simulatedGateway, webhook: null, reconciler: null };
  }
  const customers = new StripeCustomers(parts.unitOfWork);
  const gateway = new StripeGateway({ settings: stripe, customers, logger: parts.logger });
  const service = new PurchaseService({ ...parts, gateway, publicUrl });
  const reconciliation = new PurchaseReconciliation({ ...parts, gateway });
  const notices = new PaymentNotices({ ...parts, gateway, reconciliation });
  const reconciler = new PurchaseReconciler({ ...parts, gateway, notices, reconciliation, service });
  const webhook: PaymentWebhook = {
    readNotice: (rawBody, signature) => gateway.readNotice(rawBody, signature),
    receive: (notice) => notices.receive(notice),
  };
  return { service, simulatedGateway: null, webhook: stripe.webhookSecrets.length > 0 ? webhook : null, reconciler };
}
