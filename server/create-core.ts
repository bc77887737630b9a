import type { DataSource } from 'typeorm';
import type { AccountService } from './accounts/account-service.js';
import type { AccountLimits } from './accounts/accounts.graphql.js';
import { PreferredProviders } from './accounts/preferred-providers.js';
import { UseWatch } from './alerts/use-watch.js';
import { AccountEvents } from './audit/account-events.js';
import type { Config } from './config.js';
import { createDataSource, openDataSource } from './database/data-source.js';
import type { TellDatabaseNews } from './database/database-news.js';
import { describeMysqlServer } from './database/mysql-standing.js';
import { proveDatabase } from './database/prove-database.js';
import { ReadReplica } from './database/read-replica.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { entities, migrations } from './entities.js';
import { openKeptItems } from './kept-items/kept-items.js';
import type { OpenAttemptCounter } from './kernel/attempt-counter.js';
import type { Clock } from './kernel/clock.js';
import { createId } from './kernel/ids.js';
import type { Logger } from './kernel/logger.js';
import type { Secret } from './kernel/secret.js';
import { ApiKeyService } from './keys/api-key-service.js';
import { KeyAuthenticator } from './keys/authenticate-key.js';
import type { KeyChanges } from './keys/key-changes.js';
import type { KeyRules } from './keys/key-settings.js';
import { LeakedKeys } from './keys/leaked-keys.js';
import { openKeyChanges } from './keys/open-key-changes.js';
import { ScannerKeys } from './keys/scanner-keys.js';
import { tellOfWalletStates } from './keys/tell-of-wallet-states.js';
import { HoldSweeper, sightFor } from './ledger/hold-sweeper.js';
import { KeySpendReader } from './ledger/key-spend-reader.js';
import { watchKeys } from './ledger/key-watch.js';
import { createRecallReader } from './ledger/lease-heart.js';
import { LeaseKeeper } from './ledger/lease-keeper.js';
import type { Ledger } from './ledger/ledger.js';
import { LedgerAuditor, type LedgerAuditorParts } from './ledger/ledger-auditor.js';
import { LedgerReader } from './ledger/ledger-reader.js';
import { openLedger } from './ledger/open-ledger.js';
import { ProofReader } from './ledger/proof-reader.js';
import { verifyInBackground } from './ledger/verify-in-background.js';
import { openSharedLimits } from './limits/open-shared-limits.js';
import { wordLeakNotice } from './notices/leak-notice.js';
import type { NoticeSender } from './notices/notice-sender.js';
import { type NoticeSources, openNotices } from './notices/open-notices.js';
import type { Outbox } from './notices/outbox.js';
import { ToldNotices } from './notices/told-notices.js';
import { WebhookDeliveries } from './notices/webhook-deliveries.js';
import { openAccountLimits } from './open-account-limits.js';
import { openAnnouncements } from './open-announcements.js';
import { startCatalogue } from './open-catalogue.js';
import { openOperators } from './open-operators.js';
import { openPeople } from './open-people.js';
import { openPriceGroups, type PriceGroupParts } from './open-price-groups.js';
import { openReports } from './open-reports.js';
import { startRetention } from './open-retention.js';
import type { ModelCatalogue } from './providers/model-catalogue.js';
import { openPurchases } from './purchases/open-purchases.js';
import { RedisChannel } from './redis/redis-channel.js';
import { isReachableByOthers } from './unsafe-for-strangers.js';
import { UsageSummer } from './usage/usage-summer.js';

function createKeyRules(config: Config, catalogue: Pick<ModelCatalogue, 'models' | 'providers'>): KeyRules {
  const { keysPerAccountMax, requestsPerMinute, tokensPerMinute } = config;
  return {
    keysPerAccountMax,
    requestsPerMinute,
    tokensPerMinute: tokensPerMinute.account,
    hasModel: (name) => catalogue.models.some(({ id }) => id === name),
    hasProvider: (name) => catalogue.providers.some(({ id }) => id === name),
  };
}

function listAccountLimits(
  { keysPerAccountMax, requestsPerMinute, mail, retentionDays }: Config,
  findOwn: AccountLimits['findOwn'],
): AccountLimits {
  return { keysPerAccountMax, requestsPerMinute, findOwn, isMailSent: mail !== null, receiptsKeptDays: retentionDays };
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

/** Whether mails may be read by whoever sits at this machine, since nobody else reaches it. Each worker would have its own. */
function isMailboxOpen(config: Config): boolean {
  return !config.isProduction && config.workers === 1 && !isReachableByOthers(config);
}

/** What takes reports of keys that were found in public; null: nobody's are believed. */
function openLeakedKeys(
  { scannerKeysUrl, publicUrl }: Config,
  parts: Pick<ShopParts, 'unitOfWork' | 'clock' | 'logger' | 'accounts' | 'outbox'> & { keys: ApiKeyService },
): LeakedKeys | null {
  if (scannerKeysUrl === null) return null;
  const { accounts, clock, logger, outbox } = parts;
  const tell: ConstructorParameters<typeof LeakedKeys>[0]['tell'] = async (transaction, leak) => {
    const recipient = await accounts.findVerifiedEmail(leak.accountId);
    if (recipient !== null) await outbox.put(transaction, wordLeakNotice(leak, { recipient, publicUrl }));
  };
  return new LeakedKeys({ ...parts, tell, scannerKeys: new ScannerKeys(scannerKeysUrl, clock, logger) });
}

/** What instances share beside the database, and what they tell each other through it. */
async function openSharedStores(
  { redisUrl, rateLimitStore, database, responseItemsMs }: Config,
  parts: { unitOfWork: UnitOfWork; logger: Logger; clock: Clock },
) {
  const redis = redisUrl === null ? null : await openRedis(redisUrl, parts.logger);
  const channel = redis && new RedisChannel(redis, 'tollgate:key-changes');
  const keyChanges = openKeyChanges({ ...parts, databaseKind: database.kind, channel });
  await keyChanges.start();
  const limits = openSharedLimits({ ...parts, store: rateLimitStore, redis, databaseKind: database.kind });
  return { redis, limits, keyChanges, keptItems: openKeptItems(responseItemsMs, { ...parts, redis }) };
}

// Only then is the library of Redis loaded, which other servers do without.
async function openRedis(url: Secret, logger: Logger) {
  const { RedisConnection } = await import('./redis/redis-connection.js');
  const redis = new RedisConnection(url, logger);
  await redis.connect();
  return redis;
}

/** The ledger, and who keeps it in order. */
async function startLedger(config: Config, { unitOfWork, logger, clock, keyChanges }: LedgerParts) {
  const { database: address, spoolFolder, holdTimes, creditLeases } = config;
  const instance = createId('instance');
  const isAlone = address.kind === 'sqlite';
  const leasing = creditLeases
    ? { keyWatch: watchKeys(keyChanges.current), recalls: createRecallReader(unitOfWork, isAlone) }
    : undefined;
  const ledger = openLedger({ address, spoolFolder, logger, instance, times: holdTimes, leases: leasing });
  await ledger.start();
  // A lease outlives several renewals that fail.
  const leases = new LeaseKeeper(ledger, logger, holdTimes.leaseMs / 6);
  const sight = sightFor(holdTimes, holdTimes.sweepMs, isAlone);
  const sweeper = new HoldSweeper(ledger, unitOfWork, clock, logger, sight);
  sweeper.start(holdTimes.sweepMs);
  const verify: LedgerAuditorParts['verify'] = (scope, signal) => verifyInBackground(address, scope, signal);
  const books = tellOfWalletStates(ledger, { unitOfWork, keyChanges });
  const auditor = new LedgerAuditor({ verify, ledger: books, clock, logger });
  auditor.start();
  const retention = startRetention(config, { unitOfWork, clock, logger });
  const summer = new UsageSummer({ unitOfWork, clock, logger });
  summer.start();
  const closeKeepers = async () => {
    await auditor.close();
    await retention?.close();
    await summer.close();
  };
  const jobs = { hold_sweep: sweeper, receipts: retention, usage_sets: summer };
  return { ledger, books, leases, sweeper, auditor, jobs, closeKeepers };
}

interface LedgerParts {
  readonly unitOfWork: UnitOfWork;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly keyChanges: KeyChanges;
}

function openPreferredProviders(
  { unitOfWork, clock }: Pick<LedgerParts, 'unitOfWork' | 'clock'>,
  catalogue: Pick<ModelCatalogue, 'providers'>,
): PreferredProviders {
  return new PreferredProviders(unitOfWork, clock, () => catalogue.providers.map(({ id }) => id));
}

/** What operators set of accounts, and of everybody, while servers run. */
async function openOperatorSettings(parts: PriceGroupParts & { logger: Logger }, config: Config) {
  const { accountPrices, openPriceGroupDesk } = openPriceGroups(parts, config);
  const { accountLimits, openAccountLimitDesk } = openAccountLimits(parts, config);
  const { announcementBoard, openAnnouncementDesk } = openAnnouncements(parts);
  await announcementBoard.start();
  const desks = { openPriceGroupDesk, openAccountLimitDesk, openAnnouncementDesk };
  return { accountPrices, accountLimits, announcementBoard, desks };
}

/** Everything behind the addresses: the database, the ledger, the domains. */
export async function createCore(config: Config, logger: Logger, clock: Clock) {
  const source = await openDatabase(config, logger, clock);
  const unitOfWork = new UnitOfWork(source);
  const replica = config.readReplica && new ReadReplica({ primary: source, entities, logger, ...config.readReplica });
  await replica?.start();
  const { redis, limits, keyChanges, keptItems } = await openSharedStores(config, { unitOfWork, logger, clock });
  const ledgerParts = { unitOfWork, logger, clock, keyChanges };
  const { ledger, books, leases, sweeper, auditor, jobs: kept, closeKeepers } = await startLedger(config, ledgerParts);
  const parts = { unitOfWork, ledger: books, clock, logger, openCounter: limits.openCounter, keyChanges };
  const { outbox, mailbox, openSender } = openNotices(parts, config, { isMailboxOpen: isMailboxOpen(config) });
  const onVerified = (accountId: string) => purchases.watch.forget(accountId);
  const people = openPeople({ ...parts, outbox, onVerified }, config);
  const { accounts, createLink, memberships: members, sessions } = people;
  const { purchases, sender, shopServices, closeShop } = startShop({ ...parts, accounts, outbox }, config, (sources) =>
    openSender({ ...sources, createLink }),
  );
  const { live: catalogue, ...runtime } = await startCatalogue(parts, config);
  const authenticator = new KeyAuthenticator(unitOfWork, clock, logger, keyChanges.current);
  const keys = new ApiKeyService(unitOfWork, clock, createKeyRules(config, catalogue), keyChanges, members);
  const leakedKeys = openLeakedKeys(config, { ...parts, accounts, outbox, keys });
  const ledgerReader = new LedgerReader(unitOfWork, ledger);
  const reports = openReports(unitOfWork, replica, clock);
  const { findOverlay, openDesk, openPriceDesk, upstream, health } = runtime;
  const { accountPrices, accountLimits, announcementBoard, desks } = await openOperatorSettings(parts, config);
  const operators = openOperators(parts, config, {
    ...{ ...people, books, ledger, auditor, keys, ledgerReader, openDesk, openPriceDesk, catalogue },
    ...{ shop: purchases, calls: reports.calls, findOverlay, ...desks },
  });
  const resolverServices = {
    ...people,
    events: new AccountEvents(unitOfWork),
    limits: listAccountLimits(config, (accountId) => accountLimits.find(accountId)),
    ...{ keys, clock, ledgerReader, catalogue, announcementBoard, operators },
    keySpend: new KeySpendReader(unitOfWork),
    proof: new ProofReader({ unitOfWork, ledger, auditor, clock }),
    ...{ health, accountPrices, preferredProviders: openPreferredProviders(parts, catalogue) },
    ...shopServices,
    ...reports,
  };
  people.failures.start();
  const close = async () => {
    await closeShop();
    await people.failures.close();
    await closeKeepers();
    await runtime.close();
    await announcementBoard.close();
    leases.close();
    await sweeper.close();
    await authenticator.drain();
    await keyChanges.close();
    await limits.close();
    keptItems?.close();
    await ledger.close();
    redis?.close();
    await replica?.close();
    await source.destroy();
  };
  const stores = { source, replica, unitOfWork, limits, redis, keptItems, keyChanges };
  const jobs = { ...kept, purchases: purchases.reconciler, top_ups: purchases.watch };
  const watched = { ...stores, jobs, members, ledger, books, auditor, leases, sessions, purchases, sender, catalogue };
  return { ...watched, accountLimits, authenticator, upstream, resolverServices, outbox, mailbox, leakedKeys, close };
}

interface ShopParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Pick<Ledger, 'activity' | 'grantCredits' | 'reverseGrant' | 'setWalletState'>;
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
  const { alerts, giftCodes, reconciler, refundSweep, service, topUpSettings, watch } = purchases;
  parts.ledger.activity.onBalanceLeft((accountId, availableMillicredits) =>
    watch.noteBalance(accountId, availableMillicredits),
  );
  const findWebhookSecret = (accountId: string) => alerts.findWebhookSecret(accountId);
  const sender = openSender({ findWebhookSecret, findEmail });
  const useWatch = new UseWatch({
    ...{ ...parts, publicUrl: config.publicUrl, keySpend: new KeySpendReader(parts.unitOfWork) },
    findWays: (accountId) => alerts.findWaysOfUse(accountId),
  });
  parts.ledger.activity.onBalanceLeft((accountId) => useWatch.noteUse(accountId));
  const workers = [reconciler, refundSweep, watch, useWatch, sender];
  for (const worker of workers) worker?.start();
  const closeShop = async () => {
    for (const worker of workers) await worker?.close();
  };
  const toldNotices = new ToldNotices(parts.unitOfWork, parts.clock);
  const findWebhookUrl = async (accountId: string) => (await alerts.find(accountId)).webhookUrl;
  const webhooks = new WebhookDeliveries({ ...parts, findWebhookUrl });
  const shopServices = { purchases: service, alerts, giftCodes, topUpSettings, toldNotices, webhooks };
  return { purchases, sender, shopServices, closeShop };
}

export type Core = Awaited<ReturnType<typeof createCore>>;
