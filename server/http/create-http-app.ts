import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { findDatabaseAway, tellDatabaseAway } from '../database/database-errors.js';
import { AppError } from '../kernel/app-error.js';
import type { Logger } from '../kernel/logger.js';
import { tellBaseAddress } from './base-address.js';
import { readCallerAddresses } from './caller-address.js';
import { openapiDocument } from './callers/openapi-document.js';
import { toOpenaiError } from './calls/openai-error.js';
import { proxyPrefixes } from './calls/proxy-routes.js';
import { findClientFault } from './client-fault.js';
import { liveRoute } from './health/health.route.js';
import type { RequestMetrics } from './health/request-metrics.js';
import { compressAnswer } from './pages/compress-answer.js';
import { createRootAliases, createSlashCollapse } from './pages/root-aliases.js';
import { createSecurityHeaders } from './security-headers.js';

/** The pieces that answer, each made elsewhere. */
export interface HttpRoutes {
  readonly health: RequestHandler;
  readonly ready: RequestHandler;
  readonly metrics: RequestHandler;
  readonly proxy: RequestHandler;
  readonly playground: RequestHandler;
  readonly playgroundEstimate: RequestHandler;
  readonly graphql: RequestHandler;
  readonly exports: RequestHandler;
  /** Where browsers leave for another provider, and come back from it. */
  readonly providerSignIn: RequestHandler;
  /** The reference of the GraphQL schema. */
  readonly docs: RequestHandler;
  /** That schema as text. */
  readonly schemaText: RequestHandler;
  /** null in production, where no simulated money exists. */
  readonly simulatedPay: RequestHandler<{ purchaseId: string }> | null;
  /** What would have been mailed, for whoever sits at a development machine. */
  readonly mailbox: RequestHandler;
  /** null unless reports of leaked keys can be verified. */
  readonly leakedKeys: RequestHandler | null;
  /** null unless deliveries can be verified. */
  readonly stripeWebhook: RequestHandler | null;
  /** What search engines ask for beside the pages. */
  readonly siteFiles: RequestHandler;
  readonly dashboard: RequestHandler;
  /** Where a page of the dashboard tells that it broke. */
  readonly pageFaults: RequestHandler;
}

export interface HttpAppOptions {
  readonly trustProxy: number | readonly string[];
  /** Where callers reach the server; without a slash at the end. */
  readonly publicUrl: string;
  readonly logger: Logger;
  readonly requestMetrics: Pick<RequestMetrics, 'count'>;
}

/** Which address is answered by what, in order. */
export function createHttpApp(routes: HttpRoutes, options: HttpAppOptions): express.Express {
  const { trustProxy, publicUrl, logger, requestMetrics } = options;
  const nothingHere = () =>
    new AppError('unknown_url', `There is nothing at this address. ${tellBaseAddress(publicUrl)}`);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('trust proxy', typeof trustProxy === 'number' ? trustProxy : [...trustProxy]);
  readCallerAddresses(app, logger);

  app.use(createSecurityHeaders({ isHttps: publicUrl.startsWith('https:') }));
  app.use(refuseTwoHosts);
  app.use(proxyPrefixes, routes.proxy);
  app.use('/playground/chat/completions', routes.playground);
  app.use('/playground/estimate', routes.playgroundEstimate);
  app.use('/graphql', requestMetrics.count('graphql'), compressAnswer, routes.graphql);
  app.use('/export', requestMetrics.count('export'), routes.exports);
  app.use(['/sign-in/with', '/sign-in/callback'], requestMetrics.count('sign_in'));
  app.use('/sign-in', routes.providerSignIn);
  app.get('/docs', compressAnswer, routes.docs);
  app.get('/schema.graphql', compressAnswer, routes.schemaText);
  app.get('/openapi.json', compressAnswer, (_request, response) => void response.json(openapiDocument));
  app.get('/healthz', routes.health);
  app.get('/readyz', routes.ready);
  app.get('/livez', liveRoute);
  app.get('/metrics', routes.metrics);
  app.get('/mailbox', routes.mailbox);
  if (routes.simulatedPay) app.post('/checkout/simulated/:purchaseId/pay', routes.simulatedPay);
  if (routes.leakedKeys) app.post('/keys/leaked', requestMetrics.count('leaked_keys'), routes.leakedKeys);
  if (routes.stripeWebhook) app.post('/webhooks/stripe', requestMetrics.count('stripe_webhook'), routes.stripeWebhook);
  app.use('/page-faults', requestMetrics.count('page_faults'), routes.pageFaults);
  app.use(routes.siteFiles);
  const calls = express.Router().use(proxyPrefixes, routes.proxy).use(createRootAliases(routes.proxy));
  app.use(createSlashCollapse(calls));
  app.use(createRootAliases(routes.proxy));
  app.use(requestMetrics.count('dashboard'), routes.dashboard);
  app.use((_request: Request, response: Response) => {
    response.status(404).json(toOpenaiError(nothingHere()).body);
  });
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const away = findDatabaseAway(error);
    const fault = away ?? findClientFault(error) ?? error;
    const isUnknownUrl = fault instanceof AppError && fault.code === 'unknown_url';
    const { status, headers, body, logLevel, code, innerReason, isOurBug } = toOpenaiError(
      isUnknownUrl ? nothingHere() : fault,
    );
    if (away !== null) tellDatabaseAway(logger, away);
    else if (logLevel === 'error') logger.error('request_failed', isOurBug ? { error } : { code, status, innerReason });
    else if (innerReason !== null) logger.warn('request_refused', { code, status, innerReason });
    if (response.headersSent) return void response.destroy();
    // They describe the file that was asked for, and this is none.
    for (const name of headersOfFiles) response.removeHeader(name);
    response.status(status).set(headers).json(body);
  });
  return app;
}

const headersOfFiles = ['accept-ranges', 'cache-control', 'content-encoding', 'content-type', 'etag', 'last-modified'];

// Whoever stands in front may have believed the one that we do not.
function refuseTwoHosts({ rawHeaders }: Request, response: Response, next: NextFunction): void {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count < 2) {
    next();
    return;
  }
  const error = new AppError('invalid_value', 'Send one Host header.', { param: 'host' });
  response.status(400).set('connection', 'close').json(toOpenaiError(error).body);
}
