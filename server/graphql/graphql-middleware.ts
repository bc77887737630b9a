import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type NextFunction, type Request, type Response, Router } from 'express';
import type { SessionService } from '../accounts/session-service.js';
import { createLoadOnce, type GraphqlContext } from './graphql-context.js';
import type { GraphqlCode } from './graphql-error.js';
import { SessionCookie } from './session-cookie.js';

const bodyBytesMax = 100_000;

export interface GraphqlMiddlewareParts {
  readonly server: ApolloServer<GraphqlContext>;
  readonly sessions: Pick<SessionService, 'findAccountBySessionToken'>;
  /** Where browsers reach this server. */
  readonly publicUrl: string;
}

/**
 * Serves GraphQL at the address where it is mounted: POST of application/json, at most 100 kB, and nothing else. A caller
 * is known by `Authorization: Bearer <session token>` or, in a browser, by the session cookie; a request with the cookie
 * that says it comes from another site is refused. Every refusal is a GraphQL error body.
 */
export function createGraphqlMiddleware({ server, sessions, publicUrl }: GraphqlMiddlewareParts): Router {
  const cookie = new SessionCookie(publicUrl);
  const router = Router();
  router.use(refuseOtherShapes);
  router.use((request, response, next) => {
    const isForeign = cookie.read(request) !== null && !isOwnOrigin(request, new URL(publicUrl).origin);
    if (isForeign) refuse(response, 403, 'FORBIDDEN', 'This request comes from another site. Send it from our own.');
    else next();
  });
  router.use(express.json({ limit: bodyBytesMax, inflate: false, type: () => true }));
  router.use(
    expressMiddleware(server, {
      context: async ({ req: request, res: response }): Promise<GraphqlContext> => {
        const token = readBearer(request) ?? cookie.read(request);
        return {
          viewer: token === null ? null : await sessions.findAccountBySessionToken(token),
          addressOfCaller: request.ip ?? 'unknown',
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
