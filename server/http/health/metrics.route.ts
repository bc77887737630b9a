import { createHash, timingSafeEqual } from 'node:crypto';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { AppError } from '../../kernel/app-error.js';
import { type Metric, printMetrics } from '../../kernel/metrics/metric.js';
import type { Secret } from '../../kernel/secret.js';
import { createSecurityHeaders } from '../security-headers.js';

type ListMetrics = () => Promise<readonly Metric[]>;

/**
 * `GET /metrics` in Prometheus' text format, for whoever sends the operator's token as a bearer token. Without a token in the
 * settings there is nothing here: the peer's address proves nothing, since behind a proxy on this host everyone comes from it.
 */
export function createMetricsRoute(token: Secret | null, listMetrics: ListMetrics) {
  const answer = answerWith(token, listMetrics);
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    if (token === null) next(new AppError('unknown_url', 'There is nothing at this address.'));
    else await answer(request, response);
  };
}

/**
 * What `METRICS_PORT` serves: `GET /metrics` and nothing else. Whoever reaches that port may read it, unless there is a token,
 * which is then asked for here as well.
 */
export function createMetricsApp(token: Secret | null, listMetrics: ListMetrics): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.use(createSecurityHeaders({ isHttps: false }));
  app.get('/metrics', answerWith(token, listMetrics));
  app.use((_request: Request, response: Response) => {
    response.status(404).type('text').send('Only GET /metrics is here.\n');
  });
  app.use((_error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    response.status(500).type('text').send('The figures could not be read.\n');
  });
  return app;
}

function answerWith(token: Secret | null, listMetrics: ListMetrics) {
  return async (request: Request, response: Response): Promise<void> => {
    response.set('cache-control', 'no-store');
    if (token !== null && !isSame(request.get('authorization') ?? '', `Bearer ${token.reveal()}`)) {
      response.status(401).set('www-authenticate', 'Bearer').json({ error: 'Send METRICS_TOKEN as a bearer token.' });
    } else {
      const text = printMetrics(await listMetrics());
      response.set('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(text);
    }
  };
}

// Digests have one length, so the comparison takes as long for any text that is sent.
function isSame(sent: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(wanted));
}
