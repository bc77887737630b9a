import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { AccountService } from './accounts/account-service.js';
import { Passwords } from './accounts/passwords.js';
import { SessionService } from './accounts/session-service.js';
import { SignInThrottle } from './accounts/sign-in-throttle.js';
import type { Config } from './config.js';
import { createDataSource, openDataSource } from './database/data-source.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { entities, migrations } from './entities.js';
import { createGraphqlServer } from './graphql/create-graphql-server.js';
import { createGraphqlMiddleware } from './graphql/graphql-middleware.js';
import { createResolvers } from './graphql/resolvers.js';
import { createHttpApp } from './http/create-http-app.js';
import { closeHttpServer, createHttpServer } from './http/create-http-server.js';
import { createDashboardFiles } from './http/dashboard-files.js';
import { createHealthRoute } from './http/health.route.js';
import { createProxyRoutes } from './http/proxy-routes.js';
import { RequestRateLimit } from './http/request-rate-limit.js';
import { createSimulatedPayRoute } from './http/simulated-checkout.route.js';
import { type Clock, systemClock } from './kernel/clock.js';
import { createId } from './kernel/ids.js';
import type { Logger } from './kernel/logger.js';
import { ApiKeyService } from './keys/api-key-service.js';
import { KeyAuthenticator } from './keys/authenticate-key.js';
import { HoldSweeper } from './ledger/hold-sweeper.js';
import { LeaseKeeper } from './ledger/lease-keeper.js';
import { openLedger } from './ledger/ledger.js';
import { LedgerReader } from './ledger/ledger-reader.js';
import { UpstreamClient } from './providers/call-upstream.js';
import { buildCatalogue } from './providers/model-catalogue.js';
import { PurchaseService } from './purchases/purchase-service.js';
import { SimulatedGateway } from './purchases/simulated-gateway.js';
import { CallReader } from './usage/call-reader.js';

/** Where the built dashboard lies, beside the compiled server. */
const dashboardFolder = join(import.meta.dirname, '../web');

export interface App {
  /** @returns the port, which the system chose if the setting is 0. */
  listen(): Promise<number>;
  /** Lets running calls end for at most `patienceMs`, then lets go of everything. */
  close(patienceMs: number): Promise<void>;
}

/** Makes every object of the server once, in the order of need, on a database that is brought up to date first. */
export async function createApp(config: Config, logger: Logger, clock: Clock = systemClock): Promise<App> {
  const core = await createCore(config, logger, clock);
  const graphql = await createGraphqlServer(createResolvers(core.resolverServices), logger);
  const { catalogue, ledger, leases, upstream, authenticator } = core;
  const rateLimit = new RequestRateLimit(config.requestsPerMinute);
  const proxyServices = { catalogue, ledger, leases, upstream, authenticator, rateLimit, clock, logger };
  const { gateway, resolverServices, sessions } = core;
  const routes = {
    health: createHealthRoute(() => core.source.query('SELECT 1')),
    proxy: createProxyRoutes(proxyServices),
    graphql: createGraphqlMiddleware({ server: graphql, sessions, publicUrl: config.publicUrl }),
    simulatedPay: gateway && createSimulatedPayRoute(gateway, resolverServices.purchases),
    dashboard: createDashboardFiles(dashboardFolder, config.publicUrl.startsWith('https:')),
  };
  const server = createHttpServer(createHttpApp(routes, config.trustProxyHops, logger));
  return {
    async listen() {
      server.listen(config.port, config.host);
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    async close(patienceMs) {
      await closeHttpServer(server, patienceMs);
      await graphql.stop();
      await core.close();
    },
  };
}

/** Everything behind the addresses: the database, the ledger, the domains. */
async function createCore(config: Config, logger: Logger, clock: Clock) {
  const source = await openDataSource(createDataSource(config.database, { entities, migrations }), (warning) =>
    logger.warn('database_setting_endangers_commits', { warning }),
  );
  const unitOfWork = new UnitOfWork(source);
  const { database: address, spoolFolder, publicUrl, isProduction, signupMillicredits } = config;
  const ledger = openLedger({ address, spoolFolder, logger, instance: createId('instance') });
  const leases = new LeaseKeeper(ledger, logger);
  const sweeper = new HoldSweeper(ledger, unitOfWork, clock, logger);
  sweeper.start();
  const sessions = new SessionService(unitOfWork, clock);
  const parts = { unitOfWork, ledger, clock, logger };
  const accounts = new AccountService({
    ...parts,
    sessions,
    passwords: new Passwords(),
    throttle: new SignInThrottle(),
    signupMillicredits,
  });
  const gateway = isProduction ? null : new SimulatedGateway(unitOfWork, clock, { publicUrl, isProduction });
  if (!gateway) logger.warn('purchases_off', { remedy: 'No payment provider is set up; nobody can buy credits.' });
  const catalogue = buildCatalogue(config);
  const authenticator = new KeyAuthenticator(unitOfWork, clock, logger);
  const upstream = new UpstreamClient({ timeouts: config.upstreamTimeouts });
  const resolverServices = {
    accounts,
    limits: { requestsPerMinute: config.requestsPerMinute, keysPerAccountMax: config.keysPerAccountMax },
    keys: new ApiKeyService(unitOfWork, clock, config.keysPerAccountMax),
    ledgerReader: new LedgerReader(unitOfWork),
    catalogue,
    purchases: new PurchaseService({ ...parts, gateway, publicUrl }),
    calls: new CallReader(unitOfWork),
  };
  const close = async () => {
    await upstream.close();
    leases.close();
    await sweeper.close();
    await authenticator.drain();
    await ledger.close();
    await source.destroy();
  };
  return { source, ledger, leases, sessions, gateway, catalogue, authenticator, upstream, resolverServices, close };
}
