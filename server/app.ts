import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { AccountService } from './accounts/account-service.js';
import { AccountSettings } from './accounts/account-settings.js';
import { LiveBalances } from './accounts/live-balances.js';
import { Passwords } from './accounts/passwords.js';
import { PreferredProviders } from './accounts/preferred-providers.js';
import { SessionService } from './accounts/session-service.js';
import { SignInThrottle } from './accounts/sign-in-throttle.js';
import { SignUpThrottle } from './accounts/sign-up-throttle.js';
import { SignupGifts } from './accounts/signup-gift.js';
import type { Config } from './config.js';
import { createDataSource, openDataSource } from './database/data-source.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { entities, migrations } from './entities.js';
import { createGraphqlServer } from './graphql/create-graphql-server.js';
import { createGraphqlMiddleware } from './graphql/graphql-middleware.js';
import { buildGraphqlSchema } from './graphql/graphql-schema.js';
import { createGraphqlStream } from './graphql/graphql-stream.js';
import { OperationGate } from './graphql/operation-gate.js';
import { RequestViewer } from './graphql/request-viewer.js';
import { createResolvers } from './graphql/resolvers.js';
import { createSchemaPage } from './graphql/schema-page.js';
import { CallerGate } from './http/authenticate-caller.js';
import { createHttpApp } from './http/create-http-app.js';
import { closeHttpServer, createHttpServer } from './http/create-http-server.js';
import { createDashboardFiles } from './http/dashboard-files.js';
import { createExportRoutes } from './http/export.route.js';
import { createHealthRoute } from './http/health.route.js';
import { createMetricsRoute } from './http/metrics.route.js';
import { createPlaygroundRoute } from './http/playground.route.js';
import { createProxyRoutes } from './http/proxy-routes.js';
import { createSimulatedPayRoute } from './http/simulated-checkout.route.js';
import { createStripeWebhookRoute } from './http/stripe-webhook.route.js';
import { IdempotentAnswers } from './idempotency/idempotent-answers.js';
import { type Clock, systemClock } from './kernel/clock.js';
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
import { listLedgerMetrics } from './ledger/ledger-metrics.js';
import { LedgerReader } from './ledger/ledger-reader.js';
import { verifyInBackground } from './ledger/verify-in-background.js';
import { ConcurrentCalls } from './limits/concurrent-calls.js';
import { FreeLeaves } from './limits/free-leaves.js';
import { openRequestLog } from './limits/open-request-log.js';
import { RequestRateLimit } from './limits/request-rate-limit.js';
import { openNotices } from './notices/open-notices.js';
import { UpstreamClient } from './providers/call-upstream.js';
import { buildCatalogue, type ModelCatalogue } from './providers/model-catalogue.js';
import { ProviderHealth } from './providers/provider-health.js';
import { LeftCalls } from './proxy/left-calls.js';
import { OutputSpeeds } from './proxy/output-speeds.js';
import { listProxyMetrics, ProxyActivity } from './proxy/proxy-activity.js';
import { TokenCounter } from './proxy/token-counter.js';
import { openPurchases } from './purchases/open-purchases.js';
import { listPurchaseMetrics } from './purchases/purchase-metrics.js';
import { CallReader } from './usage/call-reader.js';
import { LatencyReporter } from './usage/latency-report.js';
import { ReceiptReader } from './usage/receipt-reader.js';
import { UsageReporter } from './usage/usage-report.js';

/** Where the built dashboard lies, beside the compiled server. */
const dashboardFolder = join(import.meta.dirname, '../web');
/** Downloads of one account at the same time. */
const exportsPerAccountMax = 2;
/** Connections that the system takes for us while the loop is busy; more are asked to knock again, which takes seconds. */
const waitingConnectionsMax = 4_096;
/** Even a server that is out of patience lets the calls that it has cut be settled. */
const settlePatienceMs = 5_000;

export interface App {
  /** @returns the port, which the system chose if the setting is 0. */
  listen(): Promise<number>;
  /** Lets running calls end for at most `patienceMs`, then lets go of everything. */
  close(patienceMs: number): Promise<void>;
}

/** Makes every object of the server once, in the order of need, on a database that is brought up to date first. */
export async function createApp(config: Config, logger: Logger, clock: Clock = systemClock): Promise<App> {
  const core = await createCore(config, logger, clock);
  const resolvers = createResolvers(core.resolverServices);
  const schema = buildGraphqlSchema([...resolvers.keys()], resolvers);
  const graphql = await createGraphqlServer(schema, new OperationGate(), logger);
  const edge = await createProxyEdge(core, { config, logger, clock });
  const { ledger } = core;
  const liveBalances = new LiveBalances({
    findBalance: (accountId) => core.resolverServices.ledgerReader.findBalance(accountId),
    onWalletTouched: (listener) => ledger.activity.onWalletTouched(listener),
  });
  const { auditor, purchases, sessions } = core;
  const { simulatedGateway, webhook } = purchases;
  const listMetrics = async () => [
    ...(await listLedgerMetrics(ledger, auditor, core.unitOfWork)),
    ...(await listPurchaseMetrics(core.unitOfWork)),
    ...edge.listMetrics(),
  ];
  const viewers = new RequestViewer({ sessions, keys: core.authenticator, publicUrl: config.publicUrl });
  const routes = {
    health: createHealthRoute(
      () => core.source.query('SELECT 1'),
      () => auditor.audit,
    ),
    metrics: createMetricsRoute(config.metricsToken, listMetrics),
    proxy: createProxyRoutes(edge.services),
    playground: createPlaygroundRoute({ ...edge.services, viewers }),
    graphql: createGraphqlMiddleware({
      server: graphql,
      viewers,
      stream: createGraphqlStream({ schema, viewers, liveBalances, logger }),
    }),
    docs: createSchemaPage(schema, config.publicUrl),
    exports: createExports(core, viewers, { clock, logger }),
    simulatedPay: simulatedGateway && createSimulatedPayRoute(simulatedGateway, purchases.service),
    stripeWebhook: webhook && createStripeWebhookRoute(webhook, logger),
    dashboard: createDashboardFiles(dashboardFolder, config.publicUrl.startsWith('https:')),
  };
  const server = createHttpServer(createHttpApp(routes, config.trustProxy, logger));
  return {
    async listen() {
      server.listen({ port: config.port, host: config.host, backlog: waitingConnectionsMax });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    async close(patienceMs) {
      // Before all else: what never ends by itself would use up the patience that is meant for calls.
      liveBalances.close();
      const stoppedAtMs = performance.now();
      await closeHttpServer(server, patienceMs);
      await graphql.stop();
      await edge.close(patienceMs - (performance.now() - stoppedAtMs));
      await core.close();
    },
  };
}

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

function createExports(core: Core, viewers: RequestViewer, parts: { clock: Clock; logger: Logger }) {
  return createExportRoutes({
    ...core.resolverServices,
    ...parts,
    statement: core.resolverServices.ledgerReader,
    findViewer: (request, fileName) => viewers.findFor(`GET /export/${fileName}`, request),
    concurrentExports: new ConcurrentCalls(exportsPerAccountMax, 'exports'),
  });
}

/** Everything behind the addresses: the database, the ledger, the domains. */
async function createCore(config: Config, logger: Logger, clock: Clock) {
  const source = await openDataSource(createDataSource(config.database, { entities, migrations }), (warning) =>
    logger.warn('database_setting_endangers_commits', { warning }),
  );
  const unitOfWork = new UnitOfWork(source);
  const { database: address, spoolFolder, holdTimes } = config;
  const ledger = openLedger({ address, spoolFolder, logger, instance: createId('instance'), times: holdTimes });
  // A lease outlives several renewals that fail.
  const leases = new LeaseKeeper(ledger, logger, holdTimes.leaseMs / 6);
  const sweeper = new HoldSweeper(ledger, unitOfWork, clock, logger);
  sweeper.start(holdTimes.sweepMs);
  const verify: LedgerAuditorParts['verify'] = (scope, signal) => verifyInBackground(address, scope, signal);
  const auditor = new LedgerAuditor({ verify, ledger, clock, logger });
  auditor.start();
  const sessions = new SessionService(unitOfWork, clock);
  const parts = { unitOfWork, ledger, clock, logger };
  const owners = { sessions, passwords: new Passwords(), throttle: new SignInThrottle() };
  const accounts = new AccountService({
    ...{ ...parts, ...owners, signUpThrottle: new SignUpThrottle(config.signUpsPerHour) },
    signupGifts: new SignupGifts({ ...parts, ...config, limits: config.signupGifts }),
  });
  const { purchases, shopServices, closeShop } = startShop({ ...parts, accounts }, config);
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
    accounts,
    settings: new AccountSettings({ ...parts, ...owners }),
    sessions,
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
  return { ...watched, authenticator, upstream, resolverServices, close };
}

interface ShopParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Ledger;
  readonly accounts: AccountService;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Buying credits, and what is told of it: purchases hear from the ledger what each call has left, and write to the outbox. */
function startShop({ accounts, ...parts }: ShopParts, config: Config) {
  const { outbox, openSender } = openNotices(parts, config);
  const findEmail = async (accountId: string) => (await accounts.findAccount(accountId))?.email ?? null;
  const purchases = openPurchases({ ...parts, outbox, findEmail }, config);
  const { alerts, giftCodes, reconciler, service, topUpSettings, watch } = purchases;
  parts.ledger.activity.onBalanceLeft((accountId, availableMillicredits) =>
    watch.hear(accountId, availableMillicredits),
  );
  const workers = [reconciler, watch, openSender((accountId) => alerts.findWebhookSecret(accountId))];
  for (const worker of workers) worker?.start();
  const closeShop = async () => {
    for (const worker of workers) await worker?.close();
  };
  const shopServices = { purchases: service, alerts, giftCodes, topUpSettings };
  return { purchases, shopServices, closeShop };
}

type Core = Awaited<ReturnType<typeof createCore>>;

/** What stands between the proxy's addresses and a call: limits, kept answers, what a caller may read. */
async function createProxyEdge(core: Core, parts: { config: Config; logger: Logger; clock: Clock }) {
  const { unitOfWork, catalogue, ledger, leases, upstream, authenticator, resolverServices } = core;
  const { config, logger, clock } = parts;
  const { rateLimitStore: store, redisUrl, requestsPerMinute } = config;
  const requestLog = await openRequestLog({ store, redisUrl, unitOfWork, logger });
  const idempotentAnswers = new IdempotentAnswers(unitOfWork, clock, logger);
  idempotentAnswers.start();
  const concurrentCalls = new ConcurrentCalls(config.concurrentCallsMax);
  const tokenCounter = new TokenCounter({ logger });
  const activity = new ProxyActivity();
  const leftCalls = new LeftCalls(config.leftCalls);
  const freeLeaves = new FreeLeaves(requestsPerMinute, clock);
  const { keys, keySpend, calls, ledgerReader, health, preferredProviders } = resolverServices;
  const rateLimit = new RequestRateLimit(requestLog, requestsPerMinute);
  const services = {
    ...{ catalogue, ledger, leases, upstream, health, clock, logger, idempotentAnswers, requestsPerMinute },
    ...{ tokenCounter, activity, leftCalls, freeLeaves, outputSpeeds: new OutputSpeeds() },
    noteLeftFree: (accountId: string) => freeLeaves.note(accountId),
    findPreferredProvider: (accountId: string) => preferredProviders.find(accountId),
    callMsMax: config.upstreamTimeouts.totalMs,
    ...{ rateLimit, gate: new CallerGate(authenticator, rateLimit) },
    concurrentCalls,
    receipts: new ReceiptReader(unitOfWork, calls),
    findBalance: (accountId: string) => ledgerReader.findBalance(accountId),
    findKey: (accountId: string, keyId: string) => keys.findKey(accountId, keyId),
    findKeySpend: async (accountId: string, keyId: string) =>
      (await keySpend.sumKeySpend(accountId, clock.nowMs())).get(keyId) ?? { day: 0, week: 0, month: 0 },
  };
  const close = async (patienceMs: number) => {
    // A call may outlive its connection: a plain one is finished, and every one has to be settled.
    await concurrentCalls.whenIdle(patienceMs);
    leftCalls.breakOffAll();
    await concurrentCalls.whenIdle(settlePatienceMs);
    idempotentAnswers.close();
    await requestLog.close();
    await tokenCounter.close();
  };
  return { services, close, listMetrics: () => listProxyMetrics(activity, tokenCounter, leftCalls) };
}
