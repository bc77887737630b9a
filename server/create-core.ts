import type { AccountService } from './accounts/account-service.js';
import { openAccounts } from './accounts/open-accounts.js';
import { PreferredProviders } from './accounts/preferred-providers.js';
import type { Config } from './config.js';
import { createDataSource, openDataSource } from './database/data-source.js';
import { describeMysqlServer } from './database/mysql-standing.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { entities, migrations } from './entities.js';
import type { Clock } from './kernel/clock.js';
import { createId } from './kernel/ids.js';
import type { Logger } from './kernel/logger.js';
import { ApiKeyService } from './keys/api-key-service.js';
import { KeyAuthenticator } from './keys/authenticate-key.js';
import type { KeyRules } from './keys/key-settings.js';
import { HoldSweeper } from './ledger/hold-sweeper.js';
import { KeySpendReader } from './ledger/key-spend-reader.js';
import { LeaseKeeper } from './ledger/lease-keeper.js';
import { type Ledger, openLedger } from './ledger/ledger.js';
import { LedgerAuditor, type LedgerAuditorParts } from './ledger/ledger-auditor.js';
import { LedgerReader } from './ledger/ledger-reader.js';
import { verifyInBackground } from './ledger/verify-in-background.js';
import type { NoticeSender } from './notices/notice-sender.js';
import { type NoticeSources, openNotices } from './notices/open-notices.js';
import type { Outbox } from './notices/outbox.js';
import { UpstreamClient } from './providers/call-upstream.js';
import { buildCatalogue, type ModelCatalogue } from './providers/model-catalogue.js';
import { ProviderHealth } from './providers/provider-health.js';
import { openPurchases } from './purchases/open-purchases.js';
import { CallReader } from './usage/call-reader.js';
import { LatencyReporter } from './usage/latency-report.js';
import { UsageReporter } from './usage/usage-report.js';

function createKeyRules(config: Config, { models }: ModelCatalogue): KeyRules {
  const { keysPerAccountMax, requestsPerMinute } = config;
  const modelIds = new Set(models.map(({ id }) => id));
  const providerIds = new Set(models.flatMap(({ targets }) => targets.map(({ providerId }) => providerId)));
  return {
    keysPerAccountMax,
    requestsPerMinute,
    hasModel: (name) => modelIds.has(name),
    hasProvider: (id) => providerIds.has(id),
  };
}

/** Everything behind the addresses: the database, the ledger, the domains. */
export async function createCore(config: Config, logger: Logger, clock: Clock) {
  const source = await openDataSource(createDataSource(config.database, { entities, migrations }), {
    tell: (news, warning) => logger.warn(news, { warning }),
    clock,
  });
  const connected = await describeMysqlServer(source);
  if (connected !== null) logger.info('database_connected', connected);
  const unitOfWork = new UnitOfWork(source);
  const { database: address, spoolFolder, holdTimes } = config;
  const ledger = openLedger({ address, spoolFolder, logger, instance: createId('instance'), times: holdTimes });
  await ledger.start();
  // A lease outlives several renewals that fail.
  const leases = new LeaseKeeper(ledger, logger, holdTimes.leaseMs / 6);
  const sweeper = new HoldSweeper(ledger, unitOfWork, clock, logger);
  sweeper.start(holdTimes.sweepMs);
  const verify: LedgerAuditorParts['verify'] = (scope, signal) => verifyInBackground(address, scope, signal);
  const auditor = new LedgerAuditor({ verify, ledger, clock, logger });
  auditor.start();
  const parts = { unitOfWork, ledger, clock, logger };
  const { outbox, openSender } = openNotices(parts, config);
  const onVerified = (accountId: string) => purchases.watch.forget(accountId);
  const { accounts, sessions, settings, verifications } = openAccounts({ ...parts, outbox, onVerified }, config);
  const { purchases, shopServices, closeShop } = startShop({ ...parts, accounts, outbox }, config, (sources) =>
    openSender({ ...sources, createLink: (linkId) => verifications.createLink(linkId) }),
  );
  const catalogue = buildCatalogue(config);
  for (const model of catalogue.unansweredModels) logger.warn('model_has_no_provider', { model });
  const health = new ProviderHealth(config.breaker, logger);
  const preferredProviders = new PreferredProviders(
    unitOfWork,
    clock,
    catalogue.providers.map(({ id }) => id),
  );
  const authenticator = new KeyAuthenticator(unitOfWork, clock, logger);
  const upstream = new UpstreamClient({
    timeouts: config.upstreamTimeouts,
    connectionsPerOriginMax: config.upstreamConnectionsMax,
  });
  const resolverServices = {
    ...{ accounts, settings, sessions, verifications },
    limits: { requestsPerMinute: config.requestsPerMinute, keysPerAccountMax: config.keysPerAccountMax },
    keys: new ApiKeyService(unitOfWork, clock, createKeyRules(config, catalogue)),
    keySpend: new KeySpendReader(unitOfWork),
    clock,
    ledgerReader: new LedgerReader(unitOfWork),
    catalogue,
    health,
    preferredProviders,
    ...shopServices,
    calls: new CallReader(unitOfWork),
    usage: new UsageReporter(unitOfWork),
    latency: new LatencyReporter(unitOfWork),
  };
  const close = async () => {
    await closeShop();
    await auditor.close();
    await upstream.close();
    leases.close();
    await sweeper.close();
    await authenticator.drain();
    await ledger.close();
    await source.destroy();
  };
  const watched = { source, unitOfWork, ledger, auditor, leases, sessions, purchases, catalogue };
  return { ...watched, authenticator, upstream, resolverServices, outbox, close };
}

interface ShopParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Ledger;
  readonly accounts: Pick<AccountService, 'findVerifiedEmail'>;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Buying credits, and what is told of it: purchases hear from the ledger what each call has left, and write to the outbox. */
function startShop(
  { accounts, ...parts }: ShopParts,
  config: Config,
  openSender: (sources: Omit<NoticeSources, 'createLink'>) => NoticeSender,
) {
  const findEmail = (accountId: string) => accounts.findVerifiedEmail(accountId);
  const purchases = openPurchases({ ...parts, findEmail }, config);
  const { alerts, giftCodes, reconciler, service, topUpSettings, watch } = purchases;
  parts.ledger.activity.onBalanceLeft((accountId, availableMillicredits) =>
    watch.hear(accountId, availableMillicredits),
  );
  const findWebhookSecret = (accountId: string) => alerts.findWebhookSecret(accountId);
  const workers = [reconciler, watch, openSender({ findWebhookSecret, findEmail })];
  for (const worker of workers) worker?.start();
  const closeShop = async () => {
    for (const worker of workers) await worker?.close();
  };
  const shopServices = { purchases: service, alerts, giftCodes, topUpSettings };
  return { purchases, shopServices, closeShop };
}

export type Core = Awaited<ReturnType<typeof createCore>>;
