import { UseWatch } from '../alerts/use-watch.js';
import type { Config } from '../config/config.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { OpenAttemptCounter } from '../kernel/attempt-counter.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import { KeySpendReader } from '../ledger/key-spend/key-spend-reader.js';
import type { Ledger } from '../ledger/ledger.js';
import { OldNotices, type OldNoticesParts } from '../notices/old-notices.js';
import type { NoticeSenders, NoticeSources } from '../notices/open-notices.js';
import type { Outbox } from '../notices/outbox.js';
import { ToldNotices } from '../notices/told-notices.js';
import { WebhookDeliveries } from '../notices/webhook-deliveries.js';
import { CallNews } from '../webhooks/call-news.js';
import { WebhookEndpoints } from '../webhooks/webhook-endpoints.js';
import { findToldMember, type ToldPeople } from './find-told-member.js';
import { openPurchases, type PurchasesParts } from './open-purchases.js';

export interface ShopParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Pick<Ledger, 'activity' | 'grantCredits' | 'reverseGrant' | 'setWalletState'>;
  readonly openCounter: OpenAttemptCounter;
  readonly people: ToldPeople;
  readonly readTime: PurchasesParts['readTime'];
  readonly findBelievedMs: OldNoticesParts['findBelievedMs'];
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Buying credits, and what is told of it: purchases hear from the ledger what each call has left, and write to the outbox. */
export function startShop(
  { people, ...parts }: ShopParts,
  config: Config,
  openSenders: (sources: Omit<NoticeSources, 'createLink'>) => NoticeSenders,
) {
  const findEmail = (accountId: string) => people.accounts.findVerifiedEmail(accountId);
  const endpoints: WebhookEndpoints = new WebhookEndpoints({
    ...parts,
    isProduction: config.isProduction,
    onChange: (accountId) => watch.forget(accountId),
  });
  const listEndpoints = (accountId: string) => endpoints.listFor(accountId, 'balance.low');
  const purchases = openPurchases({ ...parts, findEmail, listEndpoints }, config);
  const { alerts, giftCodes, reconciler, refundSweep, service, topUpSettings, watch } = purchases;
  parts.ledger.activity.onBalanceLeft((accountId, balanceMillicredits) =>
    watch.noteBalance(accountId, balanceMillicredits),
  );
  const findWebhookSecret = (accountId: string) => alerts.findWebhookSecret(accountId);
  const findEndpoint = (endpointId: string) => endpoints.find(endpointId);
  const senders = openSenders({ findWebhookSecret, findEmail, findEndpoint });
  const useWatch = new UseWatch({
    ...parts,
    publicUrl: config.publicUrl,
    keySpend: new KeySpendReader(parts.unitOfWork),
    findWays: async (accountId) => ({
      ...(await alerts.findWaysOfUse(accountId)),
      endpoints: (await endpoints.list(accountId)).filter(({ isOn }) => isOn),
    }),
    findMember: (of) => findToldMember({ ...people, alerts }, of),
  });
  parts.ledger.activity.onBalanceLeft((accountId) => useWatch.noteUse(accountId));
  const callNews = new CallNews({ ...parts, findEndpoint });
  const oldNotices = new OldNotices(parts);
  const { mails, webhooks: webhookSender } = senders;
  const workers = {
    reconciler,
    refundSweep,
    topUps: watch,
    useWatch,
    mails,
    callNews,
    webhookSender,
    oldNotices: oldNotices.job,
  };
  for (const worker of Object.values(workers)) worker?.start();
  const toldNotices = new ToldNotices(parts.unitOfWork, parts.clock);
  const findWebhookUrl = async (accountId: string) => (await alerts.find(accountId)).webhookUrl;
  const webhooks = new WebhookDeliveries({ ...parts, findWebhookUrl, findEndpoint });
  const shopServices = { purchases: service, alerts, giftCodes, topUpSettings, toldNotices, webhooks, endpoints };
  const listSent = () => [...mails.listMetrics(), ...webhookSender.listMetrics()];
  return { purchases, sender: { listMetrics: listSent }, shopServices, workers };
}
