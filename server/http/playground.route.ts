import type { Request, Response } from 'express';
import { AppError } from '../kernel/app-error.js';
import { playgroundKeyId } from '../kernel/ids.js';
import type { AuthenticatedKey } from '../keys/authenticate-key.js';
import { usualPermissions } from '../keys/key-settings.js';
import type { RequestRateLimit } from '../limits/request-rate-limit.js';
import { RateLimitedError } from '../limits/request-rate-limit.js';
import { answerError } from './answer-error.js';
import { handleProxyCall, type ProxyRouteServices } from './proxy.route.js';
import { beginExchange, type ProxyExchange, setHeaders } from './proxy-exchange.js';
import type { RequestMetrics } from './request-metrics.js';

export interface PlaygroundServices extends ProxyRouteServices {
  readonly viewers: PlaygroundViewers;
  readonly requestMetrics: RequestMetrics;
  readonly rateLimit: Pick<RequestRateLimit, 'take'>;
}

/** Knows who is signed in. */
interface PlaygroundViewers {
  /**
   * null: nobody.
   * @throws AppError `forbidden` for a request with our cookie that another site made.
   */
  find(request: Request): Promise<{ readonly accountId: string } | null>;
  isByCookie(request: Request): boolean;
}

/**
 * `POST /playground/chat/completions`: the dashboard's own calls. The very same story as a call with a key, from the hold to
 * the bill, but the session cookie says who pays, so that no secret has to be in the page. It counts against the account's
 * requests per minute. A request from another site is refused, and so is anything but JSON, which no plain form can send.
 */
export function createPlaygroundRoute(services: PlaygroundServices) {
  return async (request: Request, response: Response): Promise<void> => {
    const exchange = beginExchange(request, response, services);
    response.setHeader('cache-control', 'no-store');
    try {
      assertJsonPost(request, response);
      const accountId = await getAccountId(request, services);
      exchange.caller = { accountId, keyId: playgroundKeyId };
      await takeFromMinute(exchange, accountId, services);
      await handleProxyCall(exchange, standInKey(accountId), services);
    } catch (error) {
      answerError(exchange, error, services);
    } finally {
      services.requestMetrics.noteAnswer('playground', response.statusCode);
    }
  };
}

function assertJsonPost(request: Request, response: Response): void {
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    throw new AppError('method_not_supported', `Use POST for this address, not ${request.method}.`);
  }
  if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new AppError('unsupported_media_type', 'Send JSON, with the header "Content-Type: application/json".');
  }
}

async function getAccountId(request: Request, { viewers }: PlaygroundServices) {
  // Scripts have keys; here only the page itself is answered.
  const viewer = viewers.isByCookie(request) ? await viewers.find(request) : null;
  if (viewer === null) throw new AppError('unauthenticated', 'Your session has ended. Sign in again to go on.');
  return viewer.accountId;
}

// Stands where a call has its key; the ledger knows it by its id and asks for no row of it.
function standInKey(accountId: string): AuthenticatedKey {
  const key: AuthenticatedKey = {
    ...{ keyId: playgroundKeyId, accountId, permissions: usualPermissions, revision: 0 },
    reload: async () => key,
  };
  return key;
}

async function takeFromMinute(exchange: ProxyExchange, accountId: string, { rateLimit }: PlaygroundServices) {
  try {
    setHeaders(
      exchange.response,
      await rateLimit.take({ accountId, keyId: playgroundKeyId, ownRate: null }, exchange.id),
    );
  } catch (error) {
    if (error instanceof RateLimitedError) setHeaders(exchange.response, error.headers);
    throw error;
  }
}
