import type { DataSource } from 'typeorm';
import type { AccountService } from './accounts/account-service.js';
import type { AccountLimits } from './accounts/accounts.graphql.js';
import { openAccounts } from './accounts/open-accounts.js';
import { PreferredProviders } from './accounts/preferred-providers.js';
import type { Config } from './config.js';
import { createDataSource, openDataSource } from './database/data-source.js';
import type { TellDatabaseNews } from './database/database-news.js';
import { describeMysqlServer } from './database/mysql-standing.js';
import { proveDatabase } from './database/prove-database.js';
import { ReadReplica } from './database/read-replica.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { entities, migrations } from './entities.js';
import type { OpenAttemptCounter } from './kernel/attempt-counter.js';
import type { Clock } from './kernel/clock.js';
import { createId } from './kernel/ids.js';
import type { Logger } from './kernel/logger.js';
import type { Secret } from './kernel/secret.js';
import { ApiKeyService } from './keys/api-key-service.js';
import { KeyAuthenticator } from './keys/authenticate-key.js';
import type { KeyRules } from './keys/key-settings.js';
import { HoldSweeper } from './ledger/hold-sweeper.js';
import { KeySpendReader } from './ledger/key-spend-reader.js';
import { blindKeyWatch, LocalKeyWatch } from './ledger/key-watch.js';
import { createRecallReader } from './ledger/lease-heart.js';
import { LeaseKeeper } from './ledger/lease-keeper.js';
import type { Ledger } from './ledger/ledger.js';
import { LedgerAuditor, type LedgerAuditorParts } from './ledger/ledger-auditor.js';
import { LedgerReader } from './ledger/ledger-reader.js';
import { openLedger } from './ledger/open-ledger.js';
import { verifyInBackground } from './ledger/verify-in-background.js';
import { openSharedLimits } from './limits/open-shared-limits.js';
import type { NoticeSender } from './notices/notice-sender.js';
import { type NoticeSources, openNotices } from './notices/open-notices.js';
import type { Outbox } from './notices/outbox.js';
import { openReports } from './open-reports.js';
import { UpstreamClient } from './providers/call-upstream.js';
import { buildCatalogue, type ModelCatalogue } from './providers/model-catalogue.js';
import { ProviderHealth } from './providers/provider-health.js';
import { openPurchases } from './purchases/open-purchases.js';

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

function listAccountLimits({ keysPerAccountMax, requestsPerMinute, mail }: Config): AccountLimits {
  return { keysPerAccountMax, requestsPerMinute, isMailSent: mail !== null };
}

/** The database, up to date and proven, or closed again. */
async function openDatabase(config: Config, logger: Logger, clock: Clock): Promise<DataSource> {
  const tell: TellDatabaseNews = (news, warning) => logger.warn(news, { warning });
  const source = await openDataSource(createDataSource(config.database, { entities, migrations }), { tell, clock });
  try {
    await proveDatabase(source, { clock, tell, clockSkewMsMax: config.holdTimes.leaseMs / 2 });
  } catch (error) {
    await source.destroy();
    throw error;
  }
  const connected = await describeMysqlServer(source);
  if (connected !== null) logger.info('database_connected', connected);
  return source;
}

/** What instances share beside the database. */
async function openSharedStores(
  { redisUrl, rateLimitStore, database }: Config,
  parts: { unitOfWork: UnitOfWork; logger: Logger },
) {
  const redis = redisUrl === null ? null : await openRedis(redisUrl, parts.logger);
  return { redis, limits: openSharedLimits({ ...parts, store: rateLimitStore, redis, databaseKind: database.kind }) };
}

// Only then is the library of Redis loaded, which other servers do without.
async function openRedis(url: Secret, logger: Logger) {
  const { RedisConnection } = await import('./redis/redis-connection.js');
  const redis = new RedisConnection(url, logger);
  await redis.connect();
  return redis;
}

/** The ledger, and who keeps it in order. */
async function startLedger(
  { database: address, spoolFolder, holdTimes, creditLeases }: Config,
  { unitOfWork, logger, clock }: { unitOfWork: UnitOfWork; logger: Logger; clock: Clock },
) {
  const instance = createId('instance');
  // One process serves a file, so it knows of each change of a key.
  const keyChanges = new LocalKeyWatch();
  const keyWatch = address.kind === 'sqlite' ? keyChanges : blindKeyWatch;
  const leasing = creditLeases
    ? { keyWatch, recalls: createRecallReader(unitOfWork, address.kind === 'sqlite') }
    : undefined;
  const ledger = openLedger({ address, spoolFolder, logger, instance, times: holdTimes, leases: leasing });
  await ledger.start();
  // A lease outlives several renewals that fail.
  const leases = new LeaseKeeper(ledger, logger, holdTimes.leaseMs / 6);
  const sweeper = new HoldSweeper(ledger, unitOfWork, clock, logger);
  sweeper.start(holdTimes.sweepMs);
  const verify: LedgerAuditorParts['verify'] = (scope, signal) => verifyInBackground(address, scope, signal);
  const auditor = new LedgerAuditor({ verify, ledger, clock, logger });
  auditor.start();
  return { ledger, leases, sweeper, auditor, keyChanges };
}

/** Everything behind the addresses: the database, the ledger, the domains. */
export async function createCore(config: Config, logger: Logger, clock: Clock) {
  const source = await openDatabase(config, logger, clock);
  const unitOfWork = new UnitOfWork(source);
  const replica = config.readReplica && new ReadReplica({ primary: source, entities, logger, ...config.readReplica });
  await replica?.start();
  const { ledger, leases, sweeper, auditor, keyChanges } = await startLedger(config, { unitOfWork, logger, clock });
  const { redis, limits } = await openSharedStores(config, { unitOfWork, logger });
  const parts = { unitOfWork, ledger, clock, logger, openCounter: limits.openCounter };
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
    limits: listAccountLimits(config),
    keys: new ApiKeyService(unitOfWork, clock, createKeyRules(config, catalogue), (keyId, revision) =>
      keyChanges.noteChange(keyId, revision),
    ),
    keySpend: new KeySpendReader(unitOfWork),
    clock,
    ledgerReader: new LedgerReader(unitOfWork, ledger),
    catalogue,
    health,
    preferredProviders,
    ...shopServices,
    ...openReports(unitOfWork, replica),
  };
  const close = async () => {
    await closeShop();
    await auditor.close();
    await upstream.close();
    leases.close();
    await sweeper.close();
    await authenticator.drain();
    await limits.close();
    await ledger.close();
    redis?.close();
    await replica?.close();
    await source.destroy();
  };
  const stores = { source, replica, unitOfWork, limits, redis };
  const watched = { ...stores, ledger, auditor, leases, sessions, purchases, catalogue };
  return { ...watched, authenticator, upstream, resolverServices, outbox, close };
}

interface ShopParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Ledger;
  readonly openCounter: OpenAttemptCounter;
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
