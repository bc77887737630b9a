import { createHash, timingSafeEqual } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../kernel/app-error.js';
import type { Metric } from '../kernel/metric.js';
import type { Secret } from '../kernel/secret.js';

/**
 * `GET /metrics` in Prometheus' text format, for whoever sends the operator's token as a bearer token. Without a token in the
 * settings there is nothing here: the peer's address proves nothing, since behind a proxy on this host everyone comes from it.
 */
export function createMetricsRoute(token: Secret | null, listMetrics: () => Promise<readonly Metric[]>) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    response.set('cache-control', 'no-store');
    if (token === null) {
      next(new AppError('unknown_url', 'There is nothing at this address.'));
    } else if (!isSame(request.get('authorization') ?? '', `Bearer ${token.reveal()}`)) {
      response.status(401).set('www-authenticate', 'Bearer').json({ error: 'Send METRICS_TOKEN as a bearer token.' });
    } else {
      const text = (await listMetrics()).map(printMetric).join('');
      response.set('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(text);
    }
  };
}

// Digests have one length, so the comparison takes as long for any text that is sent.
function isSame(sent: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(wanted));
}

function printMetric({ name, help, kind, value }: Metric): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${name} ${value}\n`;
}
