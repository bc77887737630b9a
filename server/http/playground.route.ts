import type { Request, Response } from 'express';
import { AppError } from '../kernel/app-error.js';
import { playgroundKeyId } from '../kernel/ids.js';
import type { AuthenticatedKey } from '../keys/authenticate-key.js';
import { usualPermissions } from '../keys/key-settings.js';
import { answerEstimate, type CallerAccountServices } from './callers/caller-account.route.js';
import { answerError } from './calls/answer-error.js';
import { handleProxyCall, type ProxyRouteServices } from './calls/proxy.route.js';
import { beginExchange, endTrace, type ProxyExchange } from './calls/proxy-exchange.js';
import { type RequestAllowanceServices, takeRequest } from './calls/request-allowance.js';
import type { RequestMetrics, RequestRoute } from './health/request-metrics.js';

export type PlaygroundServices = ProxyRouteServices &
  CallerAccountServices &
  RequestAllowanceServices & {
    readonly viewers: PlaygroundViewers;
    readonly budgets: PlaygroundBudgets;
    readonly requestMetrics: RequestMetrics;
  };

/** Knows who is signed in. */
interface PlaygroundViewers {
  /**
   * null: nobody.
   * @throws AppError `forbidden` for a request with our cookie that another site made; `role_required` for a member who may not
   *   spend the account's credits.
   */
  findFor(
    operation: string,
    request: Request,
  ): Promise<{ readonly accountId: string; readonly personId: string | null } | null>;
  isByCookie(request: Request): boolean;
}

/** Knows who may spend only so much. */
interface PlaygroundBudgets {
  /** Millicredits a month; null: no budget. */
  findBudget(of: { readonly accountId: string; readonly personId: string }): Promise<number | null>;
}

interface PlaygroundPath {
  readonly path: '/playground/chat/completions' | '/playground/estimate';
  /** Whether it is a call, with a receipt. */
  readonly isCall: boolean;
  readonly countedAs: RequestRoute;
  readonly answer: (exchange: ProxyExchange, key: AuthenticatedKey, services: PlaygroundServices) => Promise<void>;
}

/**
 * `POST /playground/chat/completions`: the dashboard's own calls. The very same story as a call with a key, from the hold to
 * the bill, but the session cookie says who pays, so that no secret has to be in the page. `POST /playground/estimate` says what one
 * would cost at most. Both count against the account's requests per minute. Whoever is ended while they send their body, or while their
 * call waits, is refused before anything is reserved; what goes upstream already goes on and is billed, as by a key. A request from another site is refused, and so is
 * anything but JSON, which no plain form can send.
 */
export function createPlaygroundRoutes(services: PlaygroundServices) {
  const call = { path: '/playground/chat/completions', isCall: true, countedAs: 'playground' } as const;
  const estimate = { path: '/playground/estimate', isCall: false, countedAs: 'estimate' } as const;
  return {
    playground: createRoute({ ...call, answer: handleProxyCall }, services),
    playgroundEstimate: createRoute({ ...estimate, answer: answerEstimate }, services),
  };
}

function createRoute({ path, isCall, countedAs, answer }: PlaygroundPath, services: PlaygroundServices) {
  return async (request: Request, response: Response): Promise<void> => {
    const address = { wire: 'chat', model: null, callRoute: isCall ? path : null } as const;
    const exchange = beginExchange(request, response, address, services);
    response.setHeader('cache-control', 'no-store');
    try {
      assertJsonPost(request, response);
      const accountId = await getAccountId(`POST ${path}`, request, services);
      exchange.caller = { accountId, keyId: playgroundKeyId };
      await takeRequest(exchange, { accountId, keyId: playgroundKeyId, ownRate: null }, services);
      const proveStanding = async () => {
        if ((await getAccountId(`POST ${path}`, request, services)) !== accountId) throw anotherAccount();
      };
      await answer(exchange, standInKey(accountId, proveStanding), services);
    } catch (error) {
      answerError(exchange, error, services);
    } finally {
      services.requestMetrics.noteAnswer(countedAs, response.statusCode);
      endTrace(exchange);
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

async function getAccountId(operation: string, request: Request, { viewers, budgets }: PlaygroundServices) {
  // Scripts have keys; here only the page itself is answered.
  const viewer = viewers.isByCookie(request) ? await viewers.findFor(operation, request) : null;
  if (viewer === null) throw new AppError('unauthenticated', 'Your session has ended. Sign in again to go on.');
  const { accountId, personId } = viewer;
  // A member's budget is counted by the keys that they have made, and calls from here have none.
  if (personId !== null && (await budgets.findBudget({ accountId, personId })) !== null) {
    const words =
      'You have a monthly budget in this account, which covers calls with your keys. So you cannot use the playground here. Call with a key instead.';
    throw new AppError('forbidden', words);
  }
  return accountId;
}

function anotherAccount(): AppError {
  const words = 'Another account was chosen in this browser. Nothing was changed. Reload this page.';
  return new AppError('session_of_another', words);
}

// Stands where a call has its key; the ledger knows it by its id and asks for no row of it.
function standInKey(accountId: string, proveStanding: () => Promise<void>): AuthenticatedKey {
  const key: AuthenticatedKey = {
    keyId: playgroundKeyId,
    accountId,
    makerId: accountId,
    permissions: usualPermissions,
    revision: 0,
    isMakerBudgeted: false,
    reload: async () => key,
    proveStanding,
  };
  return key;
}
