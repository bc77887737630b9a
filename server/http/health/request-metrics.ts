import type { RequestHandler } from 'express';
import type { ErrorCode } from '../../kernel/app-error.js';
import { LabelledCounter } from '../../kernel/metrics/labelled-counter.js';
import type { Metric } from '../../kernel/metrics/metric.js';
import { allErrorCodes } from '../calls/openai-error.js';

/** What a request asked for; addresses themselves are the callers' words. */
export const requestRoutes = [
  'chat',
  'responses',
  'completions',
  'embeddings',
  'messages',
  'playground',
  'models',
  'credits',
  'key',
  'calls',
  'estimate',
  'graphql',
  'export',
  'sign_in',
  'stripe_webhook',
  'leaked_keys',
  'page_faults',
  'dashboard',
] as const;

export type RequestRoute = (typeof requestRoutes)[number] | 'other';

const statuses = [
  ...[200, 204, 301, 302, 303, 304, 400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 429],
  ...[500, 502, 503, 504],
].map(String);

/** The requests of this process by what they asked for and how they were answered, and why calls were refused. */
export class RequestMetrics {
  readonly #requests = new LabelledCounter('tollgate_requests_total', 'Requests that were answered, or left.', [
    { name: 'route', values: requestRoutes },
    { name: 'status', values: statuses },
  ]);
  readonly #refusals = new LabelledCounter('tollgate_refusals_total', 'Calls that ended with an error, by its code.', [
    { name: 'code', values: allErrorCodes },
  ]);

  /** @param status of the answer, also of one that its caller did not wait for */
  noteAnswer(route: RequestRoute, status: number): void {
    this.#requests.add([route, String(status)]);
  }

  noteRefusal(code: ErrorCode): void {
    this.#refusals.add([code]);
  }

  /** Counts every request that comes by. */
  count(route: RequestRoute): RequestHandler {
    return (_request, response, next) => {
      response.once('close', () => this.noteAnswer(route, response.statusCode));
      next();
    };
  }

  list(): Metric[] {
    return [...this.#requests.list(), ...this.#refusals.list()];
  }
}
