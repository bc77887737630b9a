import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Express } from 'express';
import { AnnouncedWallets } from './accounts/announced-wallets.js';
import { LiveBalances } from './accounts/live-balances.js';
import { PolledWallets, type WalletsElsewhere } from './accounts/polled-wallets.js';
import { type Core, createCore } from './composition/create-core.js';
import { listCloseStages } from './composition/list-close-stages.js';
import { openExports } from './composition/open-exports.js';
import { openMetrics } from './composition/open-metrics.js';
import { endingMsMax, openProxyEdge } from './composition/open-proxy-edge.js';
import { openInstanceReports } from './composition/operators/open-instance-reports.js';
import type { Config } from './config/config.js';
import { chooseBodyMemoryBytes } from './config/memory-limits.js';
import { ServingCheck } from './database/proofs/serving-check.js';
import { createGraphqlServer } from './graphql/create-graphql-server.js';
import { createGraphqlMiddleware } from './graphql/graphql-middleware.js';
import { buildGraphqlSchema } from './graphql/graphql-schema.js';
import { GraphqlSockets } from './graphql/graphql-sockets.js';
import { createGraphqlStream } from './graphql/graphql-stream.js';
import { OperationGate } from './graphql/limits/operation-gate.js';
import { OperationSeats } from './graphql/limits/operation-seats.js';
import { createSchemaRoutes } from './graphql/page/schema-page.js';
import { RequestViewer } from './graphql/request-viewer.js';
import { createResolvers } from './graphql/resolvers.js';
import type { SubscriptionParts } from './graphql/subscription.js';
import { createLeakedKeysRoute } from './http/callers/leaked-keys.route.js';
import { BodyMemory } from './http/calls/body-memory.js';
import { createProxyRoutes } from './http/calls/proxy-routes.js';
import { bodyBytesMax } from './http/calls/read-body.js';
import { createHttpApp } from './http/create-http-app.js';
import { askToReconnect, closeHttpServer, countConnections, createHttpServer } from './http/create-http-server.js';
import { examineHealth } from './http/health/health.route.js';
import { createOperatorRoutes, type Fellows } from './http/health/operator-routes.js';
import { listenOnHost } from './http/listen-on-host.js';
import { createMailboxRoute } from './http/mailbox.route.js';
import { createDashboardFiles } from './http/pages/dashboard-files.js';
import { createPageFaultRoute } from './http/pages/page-fault.route.js';
import { createSiteFiles } from './http/pages/site-files.js';
import { createPlaygroundRoutes } from './http/playground.route.js';
import { createProviderSignInRoutes } from './http/provider-sign-in.route.js';
import { serveUpgrades } from './http/serve-upgrades.js';
import { createSimulatedPayRoute } from './http/simulated-checkout.route.js';
import { createStripeWebhookRoute } from './http/stripe-webhook.route.js';
import { lookUpName as askNameServers, type LookUpName } from './kernel/addresses/look-up-name.js';
import { type Clock, systemClock } from './kernel/clock.js';
import { createId } from './kernel/ids.js';
import { closeInOrder, listToClose } from './kernel/jobs/close-in-order.js';
import type { Logger } from './kernel/logger.js';
import { TroubleCounter } from './kernel/metrics/trouble-counter.js';
import type { LeaseBook } from './ledger/leases/lease-book.js';
import { findWalletMarks } from './ledger/wallet-marks.js';
import { RedisChannel } from './redis/redis-channel.js';

/** Where the built dashboard lies, beside the compiled server. */
const dashboardFolder = join(import.meta.dirname, '../web');
/** Connections that the system accepts while the event loop is busy. Clients beyond it try again, which takes seconds. */
const listenBacklog = 4_096;

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
  /** A link that makes the first operator, good once and for a day; null: there is one, or nobody can be one. An earlier such link ends. */
  inviteFirstOperator(): Promise<string | null>;
  /** Says from now on that it takes no more work, and takes it all the same until it is closed. */
  announceStop(): void;
  /** What would be cut if the process ended now. */
  listRunning(): RunningThings;
  /** Lets running calls end for at most `timeoutMs`, then closes everything. */
  close(timeoutMs: number): Promise<void>;
}

/** What a caller may put in the place of the system's own. */
export interface AppParts {
  readonly clock?: Clock;
  readonly fellows?: Fellows | null;
  readonly lookUpName?: LookUpName;
}

/** Makes every object of the server once, in the order of need, on a database that is brought up to date first. */
export async function createApp(
  config: Config,
  log: Logger,
  { clock = systemClock, fellows = null, lookUpName = askNameServers }: AppParts = {},
): Promise<App> {
  const troubles = new TroubleCounter();
  const logger = troubles.watch(log);
  const core = await createCore(config, logger, clock);
  const resolvers = createResolvers(core.resolverServices);
  const schema = buildGraphqlSchema([...resolvers.keys()], resolvers);
  const { gate, seats, bodyMemory } = openBounds(core, config, { logger, clock });
  const graphql = await createGraphqlServer(schema, gate, logger);
  const metrics = openMetrics(core, { clock, troubles });
  const edge = await openProxyEdge(core, bodyMemory, { config, logger, clock, metrics, lookUpName });
  const { ledger, members, purchases, sessions, authenticator: keys } = core;
  const { freshFactors, operators } = core.resolverServices;
  const liveBalances = openLiveBalances(core, config);
  let servers: readonly Server[] = [];
  const countAll = () => servers.reduce((sum, server) => sum + countConnections(server), 0);
  const listRunning = () => ({ ...edge.listRunning(), connections: countAll(), bodyBytes: bodyMemory.bytes });
  const reports = openInstanceReports(core, { clock, logger, metrics, listRunning });
  const { customerViews } = operators;
  const viewers = new RequestViewer({ sessions, members, keys, customerViews, publicUrl: config.publicUrl });
  const exports = openExports(core, viewers, { clock, logger });
  const listMetrics = () => metrics.list(listRunning(), [edge, seats, liveBalances, exports]);
  const { stream, sockets } = openSubscriptions({ schema, viewers, liveBalances, gate, logger });
  let isStopping = false;
  const operator = createOperatorRoutes({
    ...{ metricsToken: config.metricsToken, listMetrics, fellows },
    examine: openHealth(core),
    isStopping: () => isStopping,
  });
  const routes = {
    ...operator.routes,
    proxy: createProxyRoutes(edge.services),
    ...createPlaygroundRoutes({ ...edge.services, viewers, budgets: core.resolverServices.memberBudgets }),
    graphql: createGraphqlMiddleware({
      ...{ server: graphql, viewers, logger, stream, freshFactors, operators, seats },
      takeBodyRoom: (request, bytesMax) => bodyMemory.takeAnnounced(request, 'graphql', bytesMax),
    }),
    ...createSchemaRoutes(schema, config.publicUrl),
    exports: exports.routes,
    ...createReportRoutes(core, bodyMemory, logger),
    ...createDashboardRoutes(core, config, { logger, viewers }),
  };
  const httpApp = createHttpApp(routes, { ...config, logger, requestMetrics: metrics.requests });
  return {
    leases: ledger.leases,
    async listen() {
      const opened = await listenOnPorts(config, { httpApp, sockets, metricsApp: operator.metricsApp });
      servers = opened.servers;
      return opened.port;
    },
    inviteFirstOperator: () => operators.people.inviteFirst(),
    announceStop() {
      isStopping = true;
      for (const server of servers) askToReconnect(server);
    },
    listRunning: () => ({ ...edge.listRunning(), purchases: purchases.countRunning() }),
    async close(timeoutMs) {
      const untilMs = performance.now() + timeoutMs;
      // What never ends by itself would use up the time that is meant for calls.
      const connections = () => Promise.all(servers.map((server) => closeHttpServer(server, timeoutMs)));
      const callers = { ...listToClose({ liveBalances, sockets }), connections };
      await closeInOrder([{ steps: callers, timeoutMs: timeoutMs + 1_000 }], logger);
      const leftMs = Math.max(0, untilMs - performance.now());
      const calls = { calls: () => edge.endRunning(leftMs) };
      const work = { graphql: () => graphql.stop(), ...edge.work, ...listToClose({ metrics, reports }) };
      const behind = listCloseStages({ ...core.toClose, work: { ...work, ...core.toClose.work } });
      await closeInOrder([{ steps: calls, timeoutMs: leftMs + endingMsMax }, ...behind], logger);
    },
  };
}

/** How this server is: its database, its books, the settlements that wait. */
function openHealth({ source, unitOfWork, filePlace, auditor, ledger }: Core) {
  const serving = new ServingCheck({ source, unitOfWork, filePlace, clock: systemClock });
  return () =>
    examineHealth(
      () => serving.assertServes(),
      () => auditor.audit,
      () => ledger.findSettlementStanding(),
    );
}

/** What bounds how much is asked of this process. */
function openBounds({ limits }: Core, config: Config, { logger, clock }: { logger: Logger; clock: Clock }) {
  const [gate, seats] = [new OperationGate(limits.openCounter), new OperationSeats(logger, clock)];
  return { gate, seats, bodyMemory: openBodyMemory(config) };
}

/** What this process may hold of bodies; where that is little, of smaller ones alone. */
function openBodyMemory(config: Config): BodyMemory {
  const bytesMax = chooseBodyMemoryBytes(config);
  return new BodyMemory(bytesMax, Math.min(bodyBytesMax, bytesMax / 2));
}

/** What others than callers and account owners tell or read. */
function createReportRoutes({ purchases, mailbox, leakedKeys }: Core, bodyMemory: BodyMemory, logger: Logger) {
  const { simulatedGateway, webhook, service } = purchases;
  return {
    mailbox: createMailboxRoute(mailbox),
    leakedKeys: leakedKeys && createLeakedKeysRoute(leakedKeys, bodyMemory),
    simulatedPay: simulatedGateway && createSimulatedPayRoute(simulatedGateway, service),
    stripeWebhook: webhook && createStripeWebhookRoute(webhook, bodyMemory, logger),
  };
}

function openSubscriptions(parts: SubscriptionParts) {
  return { stream: createGraphqlStream(parts), sockets: new GraphqlSockets(parts) };
}

/** The port of callers, and that of the metrics where there is one. */
async function listenOnPorts(
  { host, port, metricsPort }: Config,
  apps: { readonly httpApp: Express; readonly sockets: GraphqlSockets; readonly metricsApp: Express },
) {
  const backlog = listenBacklog;
  const opened = await listenOnHost(() => openServer(apps.httpApp, apps.sockets), { host, port, backlog });
  if (metricsPort === null) return opened;
  const place = { host, port: metricsPort, backlog };
  try {
    const ofMetrics = await listenOnHost(() => createHttpServer(apps.metricsApp), place);
    return { port: opened.port, servers: [...opened.servers, ...ofMetrics.servers] };
  } catch (error) {
    for (const server of opened.servers) server.close();
    throw error;
  }
}

function openServer(httpApp: Express, sockets: GraphqlSockets): Server {
  const server = createHttpServer(httpApp);
  return serveUpgrades(server, '/graphql', (request, socket, head) => sockets.take(request, socket, head));
}

function createDashboardRoutes(
  { limits, catalogue, resolverServices: { providerSignIn } }: Core,
  { publicUrl }: Config,
  { logger, viewers }: { readonly logger: Logger; readonly viewers: RequestViewer },
) {
  return {
    providerSignIn: createProviderSignInRoutes({ providerSignIn, cookie: viewers.providerCookie, publicUrl }),
    siteFiles: createSiteFiles(publicUrl, catalogue),
    dashboard: createDashboardFiles(dashboardFolder, {
      ...{ publicUrl, catalogue },
      isKnown: (request) => viewers.cookie.read(request) !== null,
    }),
    pageFaults: createPageFaultRoute(limits.openCounter, logger),
  };
}

/** Balances as they change, for those who look at them. */
function openLiveBalances(core: Core, config: Config): LiveBalances {
  return new LiveBalances({
    findBalance: (accountId) => core.resolverServices.ledgerReader.findBalance(accountId),
    onWalletTouched: (listener) => core.ledger.activity.onWalletTouched(listener),
    elsewhere: openWalletsElsewhere(core, config),
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
