import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Express } from 'express';
import { AnnouncedWallets } from './accounts/announced-wallets.js';
import { LiveBalances } from './accounts/live-balances.js';
import { PolledWallets, type WalletsElsewhere } from './accounts/polled-wallets.js';
import type { Config } from './config.js';
import { type Core, createCore } from './create-core.js';
import { ServingCheck } from './database/serving-check.js';
import { createGraphqlServer } from './graphql/create-graphql-server.js';
import { createGraphqlMiddleware } from './graphql/graphql-middleware.js';
import { buildGraphqlSchema } from './graphql/graphql-schema.js';
import { GraphqlSockets } from './graphql/graphql-sockets.js';
import { createGraphqlStream } from './graphql/graphql-stream.js';
import { OperationGate } from './graphql/operation-gate.js';
import { RequestViewer } from './graphql/request-viewer.js';
import { createResolvers } from './graphql/resolvers.js';
import { createSchemaRoutes } from './graphql/schema-page.js';
import type { SubscriptionParts } from './graphql/subscription.js';
import { CallerGate } from './http/authenticate-caller.js';
import { BodyMemory } from './http/body-memory.js';
import { createHttpApp } from './http/create-http-app.js';
import { askToReconnect, closeHttpServer, createHttpServer } from './http/create-http-server.js';
import { createDashboardFiles } from './http/dashboard-files.js';
import { createExportRoutes } from './http/export.route.js';
import { examineHealth } from './http/health.route.js';
import { listenOnHost } from './http/listen-on-host.js';
import { createOperatorRoutes, type Fellows } from './http/operator-routes.js';
import { createPlaygroundRoute } from './http/playground.route.js';
import { createProxyRoutes } from './http/proxy-routes.js';
import { serveUpgrades } from './http/serve-upgrades.js';
import { createSimulatedPayRoute } from './http/simulated-checkout.route.js';
import { createStripeWebhookRoute } from './http/stripe-webhook.route.js';
import { IdempotentAnswers } from './idempotency/idempotent-answers.js';
import { type Clock, systemClock } from './kernel/clock.js';
import { createId } from './kernel/ids.js';
import type { Logger } from './kernel/logger.js';
import { findCallStanding } from './ledger/find-call-standing.js';
import type { LeaseBook } from './ledger/lease-book.js';
import { listLedgerMetrics } from './ledger/ledger-metrics.js';
import { findWalletMarks } from './ledger/wallet-marks.js';
import { ConcurrentCalls } from './limits/concurrent-calls.js';
import { FreeLeaves } from './limits/free-leaves.js';
import { RequestRateLimit } from './limits/request-rate-limit.js';
import { TokenRateLimit } from './limits/token-rate-limit.js';
import { LeftCalls } from './proxy/left-calls.js';
import { OutputSpeeds } from './proxy/output-speeds.js';
import { listProxyMetrics, ProxyActivity } from './proxy/proxy-activity.js';
import { RequestParser } from './proxy/request-parser.js';
import { ImplausibleUsageNotices } from './proxy/tell-of-implausible-usage.js';
import { TokenCounter } from './proxy/token-counter.js';
import { listPurchaseMetrics } from './purchases/purchase-metrics.js';
import { RedisChannel } from './redis/redis-channel.js';
import { ReceiptReader } from './usage/receipt-reader.js';

/** Where the built dashboard lies, beside the compiled server. */
const dashboardFolder = join(import.meta.dirname, '../web');
/** Downloads of one account at the same time. */
const exportsPerAccountMax = 2;
/** Connections that the system takes for us while the loop is busy; more are asked to knock again, which takes seconds. */
const waitingConnectionsMax = 4_096;
/** A stream that nobody reads any more holds up a server that is to stop no longer than this. */
const leftPatienceMs = 10_000;
/** Even a server that is out of patience lets the calls that it has cut be settled. */
const settlePatienceMs = 5_000;

/** What is under way in a server. */
export interface RunningThings {
  /** Calls, the streamed ones included. */
  readonly calls: number;
  readonly streams: number;
  /** Checkouts, payments that are looked up, and charges of saved cards. */
  readonly purchases: number;
}

export interface App {
  /** What this process has leased of wallets; null: nothing ever. */
  readonly leases: LeaseBook | null;
  /** @returns the port, which the system chose if the setting is 0. */
  listen(): Promise<number>;
  /** Says from now on that it takes no more work, and takes it all the same until it is closed. */
  announceStop(): void;
  /** What would be cut if the process ended now. */
  listRunning(): RunningThings;
  /** Lets running calls end for at most `patienceMs`, then lets go of everything. */
  close(patienceMs: number): Promise<void>;
}

/** Makes every object of the server once, in the order of need, on a database that is brought up to date first. */
export async function createApp(
  config: Config,
  logger: Logger,
  { clock = systemClock, fellows = null }: { readonly clock?: Clock; readonly fellows?: Fellows | null } = {},
): Promise<App> {
  const core = await createCore(config, logger, clock);
  const resolvers = createResolvers(core.resolverServices);
  const schema = buildGraphqlSchema([...resolvers.keys()], resolvers);
  const graphql = await createGraphqlServer(schema, new OperationGate(core.limits.openCounter), logger);
  const bodyMemory = new BodyMemory(config.bodyMemoryBytes);
  const edge = await createProxyEdge(core, bodyMemory, { config, logger, clock });
  const { auditor, ledger, purchases, sessions } = core;
  const liveBalances = new LiveBalances({
    findBalance: (accountId) => core.resolverServices.ledgerReader.findBalance(accountId),
    onWalletTouched: (listener) => ledger.activity.onWalletTouched(listener),
    elsewhere: openWalletsElsewhere(core, config),
  });
  const { simulatedGateway, webhook } = purchases;
  const listMetrics = async () => [
    ...(await listLedgerMetrics(ledger, auditor, core.unitOfWork)),
    ...(await listPurchaseMetrics(core.unitOfWork)),
    ...(core.replica?.listMetrics() ?? []),
    ...edge.listMetrics(),
  ];
  const viewers = new RequestViewer({ sessions, keys: core.authenticator, publicUrl: config.publicUrl });
  const { stream, sockets } = openSubscriptions({ schema, viewers, liveBalances, logger });
  let isStopping = false;
  const serving = new ServingCheck({ source: core.source, unitOfWork: core.unitOfWork, clock: systemClock });
  const checkDatabase = () => serving.assertServes();
  const findStanding = () => ledger.findSettlementStanding();
  const routes = {
    ...createOperatorRoutes({
      ...{ metricsToken: config.metricsToken, listMetrics, fellows },
      examine: () => examineHealth(checkDatabase, () => auditor.audit, findStanding),
      isStopping: () => isStopping,
    }),
    proxy: createProxyRoutes(edge.services),
    playground: createPlaygroundRoute({ ...edge.services, viewers }),
    graphql: createGraphqlMiddleware({
      ...{ server: graphql, viewers, stream },
      takeBodyRoom: (bytes) => bodyMemory.take('graphql', bytes),
    }),
    ...createSchemaRoutes(schema, config.publicUrl),
    exports: createExports(core, viewers, { clock, logger }),
    simulatedPay: simulatedGateway && createSimulatedPayRoute(simulatedGateway, purchases.service),
    stripeWebhook: webhook && createStripeWebhookRoute(webhook, bodyMemory, logger),
    dashboard: createDashboardFiles(dashboardFolder, config.publicUrl.startsWith('https:')),
  };
  const httpApp = createHttpApp(routes, { trustProxy: config.trustProxy, publicUrl: config.publicUrl, logger });
  let servers: readonly Server[] = [];
  return {
    leases: ledger.leases,
    async listen() {
      const place = { host: config.host, port: config.port, backlog: waitingConnectionsMax };
      const opened = await listenOnHost(() => openServer(httpApp, sockets), place);
      servers = opened.servers;
      return opened.port;
    },
    announceStop() {
      isStopping = true;
      for (const server of servers) askToReconnect(server);
    },
    listRunning: () => ({ ...edge.listRunning(), purchases: purchases.countRunning() }),
    async close(patienceMs) {
      // Before all else: what never ends by itself would use up the patience that is meant for calls.
      liveBalances.close();
      sockets.close();
      const stoppedAtMs = performance.now();
      await Promise.all(servers.map((server) => closeHttpServer(server, patienceMs)));
      await graphql.stop();
      await edge.close(patienceMs - (performance.now() - stoppedAtMs));
      await core.close();
    },
  };
}

function openSubscriptions(parts: SubscriptionParts) {
  return { stream: createGraphqlStream(parts), sockets: new GraphqlSockets(parts) };
}

function openServer(httpApp: Express, sockets: GraphqlSockets): Server {
  const server = createHttpServer(httpApp);
  return serveUpgrades(server, '/graphql', (request, socket, head) => sockets.take(request, socket, head));
}

function createExports(core: Core, viewers: RequestViewer, parts: { clock: Clock; logger: Logger }) {
  return createExportRoutes({
    ...core.resolverServices,
    ...parts,
    findViewer: (request, fileName) => viewers.findFor(`GET /export/${fileName}`, request),
    concurrentExports: new ConcurrentCalls(exportsPerAccountMax, 'exports'),
  });
}

/** How this instance learns which wallets others have changed; null: on SQLite without Redis there are no others. */
function openWalletsElsewhere({ redis, unitOfWork, ledger }: Core, { database }: Config): WalletsElsewhere | null {
  const channel = redis && new RedisChannel(redis, 'tollgate:wallets');
  const poll =
    database.kind === 'mysql'
      ? new PolledWallets({
          findMarks: (accountIds) => findWalletMarks(unitOfWork, accountIds),
          isNeeded: () => channel?.isHeard !== true,
        })
      : null;
  if (channel === null) return poll;
  const announced = new AnnouncedWallets(createId('instance'), channel, poll);
  ledger.activity.onWalletTouched((accountId) => announced.announce(accountId));
  return announced;
}

/** The limits that hold only where a setting says so, and what is told of them. */
function openCallLimits(core: Core, { tokensPerMinute, concurrentCallsMax, concurrentCallsOfKeyMax: ofKey }: Config) {
  return {
    tokenRateLimit: new TokenRateLimit(core.limits.tokenLog, tokensPerMinute),
    concurrentCallsOfKey: ofKey === null ? null : new ConcurrentCalls(ofKey, 'calls', 'This API key'),
    tokenRates: tokensPerMinute,
    callsAtOnce: { account: concurrentCallsMax, key: ofKey },
  };
}

type EdgeParts = { readonly config: Config; readonly logger: Logger; readonly clock: Clock };

/** What stands between the proxy's addresses and a call: limits, kept answers, what a caller may read. */
async function createProxyEdge(core: Core, bodyMemory: BodyMemory, parts: EdgeParts) {
  const { unitOfWork, catalogue, ledger, leases, upstream, authenticator, resolverServices, outbox } = core;
  const { config, logger, clock } = parts;
  const { requestsPerMinute } = config;
  const { requestLog, openCounter } = core.limits;
  const findStanding = (callId: string) => findCallStanding({ reader: unitOfWork.reader, ledger }, callId);
  const answersParts = { unitOfWork, clock, logger, times: config.holdTimes, findCallStanding: findStanding };
  const idempotentAnswers = new IdempotentAnswers(answersParts);
  idempotentAnswers.start();
  const concurrentCalls = new ConcurrentCalls(config.concurrentCallsMax);
  const tokenCounter = new TokenCounter({ logger });
  const requestParser = new RequestParser({ logger });
  const activity = new ProxyActivity();
  const notices = new ImplausibleUsageNotices({
    ...{ activity, clock, logger },
    tellOperator: (notice) => outbox.tellOperator(notice),
  });
  notices.start();
  const leftCalls = new LeftCalls(config.leftCalls);
  const freeLeaves = new FreeLeaves(requestsPerMinute, clock, openCounter);
  const { keys, keySpend, calls, ledgerReader, health, preferredProviders } = resolverServices;
  const rateLimit = new RequestRateLimit(requestLog, requestsPerMinute);
  const limits = openCallLimits(core, config);
  const services = {
    ...{ catalogue, ledger, leases, upstream, health, clock, logger, idempotentAnswers, requestsPerMinute },
    ...{ tokenCounter, activity, requestParser, bodyMemory, leftCalls, freeLeaves, outputSpeeds: new OutputSpeeds() },
    noteLeftFree: (accountId: string) => void freeLeaves.note(accountId),
    findPreferredProvider: (accountId: string) => preferredProviders.find(accountId),
    callMsMax: config.upstreamTimeouts.totalMs,
    publicUrl: config.publicUrl,
    ...{ rateLimit, gate: new CallerGate(authenticator, rateLimit, openCounter) },
    concurrentCalls,
    ...limits,
    receipts: new ReceiptReader(unitOfWork, calls),
    findBalance: (accountId: string) => ledgerReader.findBalance(accountId),
    findKey: (accountId: string, keyId: string) => keys.findKey(accountId, keyId),
    findKeySpend: async (accountId: string, keyId: string) =>
      (await keySpend.sumKeySpend(accountId, clock.nowMs())).get(keyId) ?? { day: 0, week: 0, month: 0 },
  };
  const close = async (patienceMs: number) => {
    // A call may outlive its connection: a plain one is finished, and every one has to be settled.
    const breakOff = setTimeout(() => leftCalls.breakOffAll(), Math.min(patienceMs, leftPatienceMs));
    await concurrentCalls.whenIdle(patienceMs);
    clearTimeout(breakOff);
    leftCalls.breakOffAll();
    await concurrentCalls.whenIdle(settlePatienceMs);
    await notices.close();
    idempotentAnswers.close();
    await tokenCounter.close();
    await requestParser.close();
  };
  const listRunning = () => ({ calls: concurrentCalls.count, streams: activity.streams.count });
  return { services, close, listRunning, listMetrics: () => listProxyMetrics(activity, tokenCounter, leftCalls) };
}
