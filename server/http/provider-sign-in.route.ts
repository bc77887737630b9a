import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import { type ProviderFault, ProviderFaultError } from '../accounts/identities/identity-provider.js';
import type { ProviderSignIn } from '../accounts/identities/provider-sign-in.js';
import { AppError } from '../kernel/app-error.js';

export interface ProviderSignInRouteParts {
  readonly providerSignIn: Pick<ProviderSignIn, 'start' | 'takeAnswer'>;
  /** Binds what was begun to the browser. */
  readonly cookie: {
    read(request: Request): string | null;
    set(response: Response, token: string): void;
    clear(response: Response): void;
  };
  readonly publicUrl: string;
}

const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/**
 * `GET /sign-in/with/:provider` sends a browser to a provider, and `GET /sign-in/callback/:provider` takes it back. Neither begins a
 * session: both end on a page of the dashboard, which does so by GraphQL, or says what went wrong.
 */
export function createProviderSignInRoutes({ providerSignIn, cookie, publicUrl }: ProviderSignInRouteParts): Router {
  const router = Router();
  const lead = (response: Response, path: string, query: Readonly<Record<string, string | null>>) => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null);
    const text = new URLSearchParams(given).toString();
    response.set(headers).redirect(303, `${publicUrl}${path}${text === '' ? '' : `?${text}`}`);
  };
  const fail = (response: Response, provider: string, next: string | null, fault: ProviderFault | 'too_many') =>
    lead(response, '/sign-in', { with: provider, fault, next });
  router.get('/with/:provider', async (request: Request<{ provider: string }>, response, next) => {
    const { provider } = request.params;
    const page = searchOf(request).get('next');
    // Nobody is signed in because a page of somebody else sent them here: they press the button themselves.
    if (request.headers['sec-fetch-site'] === 'cross-site') {
      lead(response, '/sign-in', { next: page });
      return;
    }
    try {
      const address = request.ip ?? 'unknown';
      const { url, token } = await providerSignIn.start(provider, { address, next: page, viewer: null });
      cookie.set(response, token.reveal());
      response.set(headers).redirect(303, url);
    } catch (error) {
      if (error instanceof ProviderFaultError) fail(response, provider, page, error.fault);
      else if (error instanceof AppError && error.code === 'rate_limit_exceeded')
        fail(response, provider, page, 'too_many');
      else answerUnknown(error, next);
    }
  });
  router.get('/callback/:provider', async (request: Request<{ provider: string }>, response) => {
    const { provider } = request.params;
    const search = searchOf(request);
    const outcome = await providerSignIn.takeAnswer(provider, cookie.read(request), `?${search}`);
    const { fault, isLink, next } = outcome;
    if (fault !== null) cookie.clear(response);
    if (isLink) lead(response, '/settings', { linking: provider, fault });
    else lead(response, '/sign-in', { with: provider, fault, next });
  });
  return router as RequestHandler as Router;
}

function searchOf({ originalUrl }: Request<{ provider: string }>): URLSearchParams {
  const at = originalUrl.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : originalUrl.slice(at));
}

// A page of the dashboard would say that there is no such page, and so does this.
function answerUnknown(error: unknown, next: NextFunction): void {
  const isUnknown = error instanceof AppError && error.code === 'not_found';
  next(isUnknown ? new AppError('unknown_url', 'There is nothing at this address.') : error);
}
