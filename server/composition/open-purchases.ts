import { BalanceAlerts } from '../alerts/balance-alerts.js';
import type { StripeSettings } from '../config/stripe-settings.js';
import { getDatabaseId } from '../database/database-id.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { GiftCodes } from '../gifts/gift-codes.js';
import type { OpenAttemptCounter } from '../kernel/attempt-counter.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { SideWrite } from '../ledger/companion-write.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Outbox } from '../notices/outbox.js';
import type { CardGateway } from '../purchases/card-gateway.js';
import { PurchaseService } from '../purchases/checkout/purchase-service.js';
import type { PaymentGateway } from '../purchases/payment-gateway.js';
import { PaymentNotices, type PaymentWebhook } from '../purchases/payment-notices.js';
import { PurchaseReconciler } from '../purchases/purchase-reconciler.js';
import { PurchaseReconciliation } from '../purchases/purchase-reconciliation.js';
import { RefundOrders } from '../purchases/refund-orders.js';
import { RefundSweep } from '../purchases/refund-sweep.js';
import { SimulatedCards } from '../purchases/simulated/simulated-cards.js';
import { SimulatedGateway } from '../purchases/simulated/simulated-gateway.js';
import { StripeApi, stripeGatewayName } from '../purchases/stripe/stripe-api.js';
import { StripeCards } from '../purchases/stripe/stripe-cards.js';
import { StripeCustomers } from '../purchases/stripe/stripe-customers.js';
import { StripeGateway } from '../purchases/stripe/stripe-gateway.js';
import { AutoTopUp, type AutoTopUpParts } from '../top-ups/auto-top-up.js';
import { BalanceWatch } from '../top-ups/balance-watch.js';
import { listAutomatic } from '../top-ups/list-automatic.js';
import { type TakenCredits, TopUpOutcomes } from '../top-ups/top-up-outcomes.js';
import { TopUpSettings } from '../top-ups/top-up-settings.js';
import { openTopUpPayers } from './open-top-up-payers.js';

export interface PurchasesParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Pick<Ledger, 'grantCredits' | 'reverseGrant' | 'setWalletState'>;
  readonly outbox: Pick<Outbox, 'put' | 'tellOperator'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly openCounter: OpenAttemptCounter;
  readonly readTime: AutoTopUpParts['readTime'];
  /** The address that an account's owner has proved to read; null: none, and nothing is mailed. */
  findEmail(accountId: string): Promise<string | null>;
  /** The endpoints of an account that want to be told of a low balance; left out: nobody is told anything here. */
  listEndpoints?(accountId: string): Promise<readonly { readonly id: string; readonly url: string }[]>;
}

export interface PurchasesSettings {
  readonly publicUrl: string;
  readonly isProduction: boolean;
  /** null: no real money is taken. */
  readonly stripe: StripeSettings | null;
}

/** Everything about buying credits, by Stripe where its key is set, else simulated, else (in production) not at all. */
export interface Purchases {
  readonly service: PurchaseService;
  readonly simulatedGateway: SimulatedGateway | null;
  /** null unless the webhook has a secret that deliveries are signed with. */
  readonly webhook: PaymentWebhook | null;
  readonly reconciler: PurchaseReconciler | null;
  /** null: there is no service that would send notices. */
  readonly notices: PaymentNotices | null;
  readonly topUpSettings: TopUpSettings;
  /** null: nothing is sold. */
  readonly topUp: AutoTopUp | null;
  readonly alerts: BalanceAlerts;
  readonly watch: BalanceWatch;
  readonly giftCodes: GiftCodes;
  readonly refunds: RefundOrders;
  readonly refundSweep: RefundSweep;
  /** What the ledger writes together with credits that an operator takes back, so that no card is charged because of that. */
  findTakeBackWrites(taken: TakenCredits): Promise<readonly SideWrite[]>;
  /** How many checkouts, look-ups of payments and charges are under way. */
  countRunning(): number;
}

/** Makes the objects; starts nothing. */
export function openPurchases(parts: PurchasesParts, settings: PurchasesSettings): Purchases {
  const { publicUrl, isProduction } = settings;
  const onChange = (accountId: string) => watch.forget(accountId);
  const outcomes = new TopUpOutcomes({ ...parts, publicUrl });
  const { gateway, cards, stripe, simulated } = openGateways(parts, settings, outcomes);
  const followUp: TopUpOutcomes['finish'] = (purchase, failureCode) => outcomes.finish(purchase, failureCode);
  const onMoneyBack: TopUpOutcomes['turnOff'] = (purchase, why) => outcomes.turnOff(purchase, why);
  const shared = { ...parts, gateway, followUp, onMoneyBack };
  const service = new PurchaseService({
    ...shared,
    publicUrl,
    listAutomatic: (ids) => listAutomatic(parts.unitOfWork, ids),
  });
  const reconciliation = new PurchaseReconciliation(shared);
  const payers = openTopUpPayers({ ...parts, publicUrl });
  const topUp = cards && new AutoTopUp({ ...parts, cards, reconciliation, outcomes, payers });
  const topUpSettings = new TopUpSettings({ ...parts, cards, payers, publicUrl, onChange });
  const { listEndpoints = async () => [] } = parts;
  const alerts = new BalanceAlerts({ ...parts, listEndpoints, publicUrl, isProduction, onChange });
  const watch: BalanceWatch = new BalanceWatch({ ...parts, settings: topUpSettings, alerts, topUp });
  const giftCodes = new GiftCodes(parts);
  const refunds = new RefundOrders({ ...shared, reconciliation });
  const refundSweep = new RefundSweep(refunds, parts.logger);
  const working = [service, reconciliation, refunds, topUp];
  const countRunning = () => working.reduce((sum, work) => sum + (work?.runningCount ?? 0), 0);
  const findTakeBackWrites = (taken: TakenCredits) => outcomes.findTakeBackWrites(taken);
  const parted = { service, topUpSettings, topUp, alerts, watch, giftCodes, refunds, refundSweep };
  const always = { ...parted, findTakeBackWrites, countRunning };
  if (stripe === null)
    return { ...always, simulatedGateway: simulated, webhook: null, reconciler: null, notices: null };

  const notices = new PaymentNotices({
    ...parts,
    gateway: stripe,
    reconciliation,
    keepCardOf: (sessionId) => topUpSettings.keepCardOf(sessionId),
    getInstallationId: () => getDatabaseId(parts.unitOfWork),
  });
  const reconciler = new PurchaseReconciler({
    ...parts,
    gateway: stripe,
    notices,
    reconciliation,
    resume: async (purchase) => {
      if (!(await topUp?.resume(purchase))) await service.resumeCheckout(purchase);
    },
  });
  const webhook: PaymentWebhook = {
    readNotice: (rawBody, signature) => stripe.readNotice(rawBody, signature),
    receive: (notice) => notices.receive(notice),
  };
  const isSigned = settings.stripe !== null && settings.stripe.webhookSecrets.length > 0;
  return { ...always, simulatedGateway: null, webhook: isSigned ? webhook : null, reconciler, notices };
}

interface Gateways {
  readonly gateway: PaymentGateway | null;
  readonly cards: CardGateway | null;
  readonly stripe: StripeGateway | null;
  readonly simulated: SimulatedGateway | null;
}

function openGateways(
  { unitOfWork, clock, logger }: PurchasesParts,
  settings: PurchasesSettings,
  outcomes: TopUpOutcomes,
): Gateways {
  if (settings.stripe !== null) {
    const customers = new StripeCustomers(unitOfWork, (transaction, { accountId, goneId }) =>
      outcomes.forgetCard(transaction, { accountId, gateway: stripeGatewayName, subject: goneId }),
    );
    const getInstallationId = () => getDatabaseId(unitOfWork);
    const api = new StripeApi({ settings: settings.stripe, customers, getInstallationId, clock, logger });
    const stripe = new StripeGateway(api, settings.stripe.webhookSecrets);
    return { gateway: stripe, cards: new StripeCards(api, logger), stripe, simulated: null };
  }
  if (settings.isProduction) {
    logger.warn('purchases_off', { remedy: 'Set STRIPE_SECRET_KEY; until then nobody can buy credits.' });
    return { gateway: null, cards: null, stripe: null, simulated: null };
  }
  const simulated = new SimulatedGateway(unitOfWork, clock, settings);
  return { gateway: simulated, cards: new SimulatedCards(simulated, clock), stripe: null, simulated };
}
