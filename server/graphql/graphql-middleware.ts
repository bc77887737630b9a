import { isUtf8 } from 'node:buffer';
import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express, {
  type ErrorRequestHandler,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import { findDatabaseAway, tellDatabaseAway } from '../database/database-errors.js';
import { AppError } from '../kernel/app-error.js';
import { JsonGauge, type JsonLimits } from '../kernel/json-gauge.js';
import type { Logger } from '../kernel/logger.js';
import type { OperatorContext } from '../operator/operator-context.js';
import type { OperatorCaller } from '../operator/people/operator-sessions.js';
import { type Caller, createLoadOnce, type GraphqlContext } from '../schema/graphql-context.js';
import { createErrorFormatter, describeAppError, type GraphqlCode } from './graphql-error.js';
import { nameAsker } from './limits/operation-gate.js';
import type { OperationSeats } from './limits/operation-seats.js';
import type { GuardedContext } from './operation-guard.js';
import type { RequestViewer } from './request-viewer.js';

/** The longest request, in bytes. */
export const bodyBytesMax = 100_000;
/** No operation has inputs that come near. A faulty one is written out in up to fifty errors, as a whole in each. */
export const bodyLimits: JsonLimits = { valuesMax: 2_000, levelsMax: 32 };

export interface GraphqlMiddlewareParts {
  readonly server: ApolloServer<GraphqlContext>;
  readonly viewers: RequestViewer;
  readonly logger: Logger;
  /** Serves subscriptions at `/stream`. */
  readonly stream: RequestHandler;
  readonly freshFactors: { readonly require: GraphqlContext['requireFresh'] };
  readonly operators: {
    readonly sessions: { find(token: string): Promise<OperatorCaller | null> };
    readonly tokens: { get(token: string): Promise<OperatorCaller> };
  };
  /** Bounds how many run at once. */
  readonly seats: Pick<OperationSeats, 'run'>;
  /** Takes room for the body that a request announces in the memory for them. @returns what gives it back. @throws AppError when there is none. */
  readonly takeBodyRoom: (request: Request, bytesMax: number) => () => void;
}

/**
 * Serves GraphQL at the address where it is mounted: POST of application/json, at most 100 kB, and nothing else. A caller
 * is known by `Authorization: Bearer <session token or API key>` or, in a browser, by the session cookie; a request with the
 * cookie that says it comes from another site is refused. Every refusal is a GraphQL error body.
 */
export function createGraphqlMiddleware(parts: GraphqlMiddlewareParts): Router {
  const { server, viewers, stream, seats } = parts;
  const { cookie, deviceCookie, operatorCookie, providerCookie, stepCookie } = viewers;
  const router = Router();
  router.use(refuseOtherShapes);
  router.use((request, _response, next) => {
    viewers.refuseForeign(request);
    next();
  });
  router.use((request, response, next) => {
    const releaseRoom = parts.takeBodyRoom(request, bodyBytesMax);
    request.once('end', releaseRoom);
    response.once('close', releaseRoom);
    next();
  });
  const { bytesOf, verify } = measureBodies();
  router.use(express.json({ limit: bodyBytesMax, inflate: false, type: () => true, verify }));
  router.use('/stream', stream);
  const callers = new WeakMap<Request, Caller>();
  const findCaller = async (request: Request) => {
    const caller = await viewers.find(request);
    if (caller) callers.set(request, caller);
    else callers.delete(request);
    return caller;
  };
  const answer = expressMiddleware(server, {
    context: async ({ req: request, res: response }): Promise<OperatorContext & GuardedContext> => ({
      viewer: callers.get(request) ?? null,
      isSessionOver: !callers.has(request) && viewers.findToken(request) !== null,
      refuseOtherOwner: () => viewers.refuseOtherOwner(request, callers.get(request) ?? null),
      token: viewers.findToken(request),
      idempotencyKey: request.get('idempotency-key') ?? null,
      addressOfCaller: request.ip ?? 'unknown',
      userAgent: request.headers['user-agent'] ?? null,
      isSignedInByCookie: viewers.isByCookie(request),
      deviceTokens: deviceCookie.read(request),
      stepToken: stepCookie.read(request),
      providerToken: providerCookie.read(request),
      standingOf: (caller) => viewers.standingOf(caller),
      requireFresh: (viewer, rule) => parts.freshFactors.require(viewer, rule),
      setStepCookie: (token) => stepCookie.set(response, token),
      clearStepCookie: () => stepCookie.clear(response),
      setProviderCookie: (token) => providerCookie.set(response, token),
      clearProviderCookie: () => providerCookie.clear(response),
      setDeviceCookie: (tokens) => deviceCookie.set(response, tokens),
      setSessionCookie: (sessionToken) => cookie.set(response, sessionToken),
      clearSessionCookie: () => cookie.clear(response),
      loadOnce: createLoadOnce(),
      operators: {
        find: findOperatorOnce(viewers, request, parts),
        setCookie: (token) => operatorCookie.set(response, token),
        clearCookie: () => operatorCookie.clear(response),
      },
    }),
  });
  router.use(async (request, response, next) => {
    const owner = nameAsker({ viewer: await findCaller(request), addressOfCaller: request.ip ?? 'unknown' });
    if (response.closed) return;
    const onLeave = (listener: () => void) => response.once('close', listener);
    const asked = { owner, bytes: bytesOf.get(request) ?? 0 };
    await seats.run(asked, onLeave, async (hasWaited) => {
      // Meanwhile a session may have ended, and a key may have been revoked.
      if (hasWaited) await findCaller(request);
      await answer(request, response, next);
    });
  });
  router.use(tellAway(parts.logger), answerFault(parts.logger));
  return router;
}

/** By a token, where the request has one; else by the cookie. */
function findOperatorOnce(
  viewers: RequestViewer,
  request: Request,
  { operators: { sessions, tokens } }: Pick<GraphqlMiddlewareParts, 'operators'>,
) {
  const [token, session] = [viewers.findOperatorToken(request), viewers.operatorCookie.read(request)];
  let found: Promise<OperatorCaller | null> | null = null;
  return () => {
    const find = () => (session === null ? Promise.resolve(null) : sessions.find(session));
    found ??= token === null ? find() : tokens.get(token);
    return found;
  };
}

function refuseOtherShapes(request: Request, response: Response, next: NextFunction): void {
  response.set('cache-control', 'no-store');
  if (request.method !== 'POST') {
    response.set('allow', 'POST');
    refuse(response, 405, 'BAD_USER_INPUT', getWords);
  } else if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')) {
    refuse(response, 415, 'BAD_USER_INPUT', 'Send JSON, with the header "Content-Type: application/json".');
  } else {
    // What is not in UTF-8 is refused by its bytes. Clients name other charsets by habit, or write `utf8`, over bytes that are.
    request.headers['content-type'] = 'application/json';
    next();
  }
}

// Who reads it mostly has a client that chose GET by itself.
const getWords =
  'Send a POST request with the query as JSON. A client that asks by GET unasked is told not to: urql by `preferGetMethod: false`.';

// All that is left for body-parser to find no way to read.
const compressedWords = 'Send the body as it is, uncompressed and without the header "Content-Encoding".';

/** A body that is not parsed, with what to send in its place. */
class RefusedBodyError extends Error {
  override readonly name = 'RefusedBodyError';
}

/** What looks at bodies before they are parsed, and how long each one was. */
function measureBodies() {
  const bytesOf = new WeakMap<object, number>();
  const verify = (request: object, _response: unknown, body: Buffer) => {
    refuseUnfit(body);
    bytesOf.set(request, body.length);
  };
  return { bytesOf, verify };
}

// Before the body is parsed. What is not in UTF-8 would be read as other words than were sent.
function refuseUnfit(body: Buffer): void {
  if (!isUtf8(body)) throw new RefusedBodyError('Send the body in UTF-8.');
  const gauge = new JsonGauge(bodyLimits);
  gauge.push(body);
  const { valuesMax, levelsMax } = bodyLimits;
  if (gauge.excess !== null) {
    throw new RefusedBodyError(`Send at most ${valuesMax} values, nested at most ${levelsMax} levels deep.`);
  }
}

// So that who asked reads it in GraphQL's form, and the log has one line of it and not one for each.
function tellAway(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _request, _response, next) => {
    const away = findDatabaseAway(error);
    if (away !== null) tellDatabaseAway(logger, away);
    next(away ?? error);
  };
}

// What body-parser throws carries a status below 500; anything else is an error of ours, in GraphQL's form, too.
function answerFault(logger: Logger): ErrorRequestHandler {
  const format = createErrorFormatter(logger);
  return (error: unknown, _request, response, next) => {
    const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
    if (response.headersSent) next(error);
    else if (error instanceof RefusedBodyError) refuse(response, 400, 'BAD_USER_INPUT', error.message);
    else if (error instanceof AppError) refuseCaller(response, error);
    else if (!(status >= 400 && status < 500)) {
      response.status(500).json({ errors: [format({ message: String(error) }, error)] });
    } else if (status === 413) refuse(response, status, 'BAD_USER_INPUT', `Send at most ${bodyBytesMax} bytes.`);
    else if (status === 415) refuse(response, status, 'BAD_USER_INPUT', compressedWords);
    else refuse(response, status, 'BAD_USER_INPUT', 'The body could not be read as JSON.');
  };
}

// Before the operation begins, only who asks can be at fault, or the database away.
function refuseCaller(response: Response, error: AppError): void {
  const { message, extensions } = describeAppError(error);
  const status = { UNAUTHENTICATED: 401, FORBIDDEN: 403, RATE_LIMITED: 429 }[String(extensions.code)] ?? 503;
  if (error.retryAfterMs !== null) response.set('retry-after', String(Math.ceil(error.retryAfterMs / 1_000)));
  response.status(status).json({ errors: [{ message, extensions }] });
}

function refuse(response: Response, status: number, code: GraphqlCode, message: string): void {
  response.status(status).json({ errors: [{ message, extensions: { code } }] });
}
