import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type NextFunction, type Request, type Response, Router } from 'express';
import type { SessionService } from '../accounts/session-service.js';
import { AppError } from '../kernel/app-error.js';
import type { KeyAuthenticator } from '../keys/authenticate-key.js';
import { requireAddress } from '../keys/key-permissions.js';
import { looksLikeSecret } from '../keys/key-secret.js';
import { type Caller, createLoadOnce, type GraphqlContext } from './graphql-context.js';
import { describeAppError, type GraphqlCode } from './graphql-error.js';
import { SessionCookie } from './session-cookie.js';

const bodyBytesMax = 100_000;

export interface GraphqlMiddlewareParts {
  readonly server: ApolloServer<GraphqlContext>;
  readonly sessions: Pick<SessionService, 'findAccountBySessionToken'>;
  readonly keys: Pick<KeyAuthenticator, 'authenticate'>;
  /** Where browsers reach this server. */
  readonly publicUrl: string;
}

/**
 * Serves GraphQL at the address where it is mounted: POST of application/json, at most 100 kB, and nothing else. A caller
 * is known by `Authorization: Bearer <session token or API key>` or, in a browser, by the session cookie; a request with the
 * cookie that says it comes from another site is refused. Every refusal is a GraphQL error body.
 */
export function createGraphqlMiddleware({ server, sessions, keys, publicUrl }: GraphqlMiddlewareParts): Router {
  const cookie = new SessionCookie(publicUrl);
  const router = Router();
  router.use(refuseOtherShapes);
  router.use((request, response, next) => {
    const isForeign = cookie.read(request) !== null && !isOwnOrigin(request, new URL(publicUrl).origin);
    if (isForeign) refuse(response, 403, 'FORBIDDEN', 'This request comes from another site. Send it from our own.');
    else next();
  });
  router.use(express.json({ limit: bodyBytesMax, inflate: false, type: () => true }));
  const callers = new WeakMap<Request, Caller>();
  router.use(async (request, response, next) => {
    try {
      const caller = await findCaller(request, readBearer(request) ?? cookie.read(request), { sessions, keys });
      if (caller) callers.set(request, caller);
      next();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { message, extensions } = describeAppError(error);
      const status = { UNAUTHENTICATED: 401, FORBIDDEN: 403 }[String(extensions.code)] ?? 503;
      response.status(status).json({ errors: [{ message, extensions }] });
    }
  });
  router.use(
    expressMiddleware(server, {
      context: async ({ req: request, res: response }): Promise<GraphqlContext> => {
        return {
          viewer: callers.get(request) ?? null,
          addressOfCaller: request.ip ?? 'unknown',
          userAgent: request.headers['user-agent'] ?? null,
          isSignedInByCookie: readBearer(request) === null,
          setSessionCookie: (sessionToken) => cookie.set(response, sessionToken),
          clearSessionCookie: () => cookie.clear(response),
          loadOnce: createLoadOnce(),
        };
      },
    }),
  );
  router.use(answerBodyFault);
  return router;
}

/**
 * Finds out who sends a token, a session's or a key's. Keys are read from the database each time, so that a revoked one is
 * refused at once.
 * @returns null for nobody, or a session that has ended.
 * @throws AppError `invalid_api_key` or `ip_not_authorized`.
 */
export async function findCaller(
  request: Request,
  token: string | null,
  { sessions, keys }: Pick<GraphqlMiddlewareParts, 'sessions' | 'keys'>,
): Promise<Caller | null> {
  if (token === null) return null;
  if (looksLikeSecret(token)) {
    const key = await keys.authenticate(token, { isFresh: true });
    requireAddress(key.permissions, request.ip ?? 'unknown');
    return { accountId: key.accountId, sessionId: null, key };
  }
  const session = await sessions.findAccountBySessionToken(token);
  return session && { ...session, key: null };
}

function refuseOtherShapes(request: Request, response: Response, next: NextFunction): void {
  response.set('cache-control', 'no-store');
  if (request.method !== 'POST') {
    response.set('allow', 'POST');
    refuse(response, 405, 'BAD_USER_INPUT', 'Send a POST request.');
  } else if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')) {
    refuse(response, 415, 'BAD_USER_INPUT', 'Send JSON, with the header "Content-Type: application/json".');
  } else next();
}

// Browsers name the origin on every POST; a client without one is no browser that could be misled.
function isOwnOrigin(request: Request, publicOrigin: string): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined || origin === publicOrigin) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

function readBearer(request: Request): string | null {
  return /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

// What body-parser throws carries a status below 500; anything else is the application's error handler's to answer.
function answerBodyFault(error: unknown, _request: Request, response: Response, next: NextFunction): void {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (response.headersSent || !(status >= 400 && status < 500)) next(error);
  else if (status === 413) refuse(response, status, 'BAD_USER_INPUT', `Send at most ${bodyBytesMax} bytes.`);
  else refuse(response, status, 'BAD_USER_INPUT', 'The body could not be read as JSON.');
}

function refuse(response: Response, status: number, code: GraphqlCode, message: string): void {
  response.status(status).json({ errors: [{ message, extensions: { code } }] });
}
