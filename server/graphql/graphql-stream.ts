import { once } from 'node:events';
import type { Request, RequestHandler, Response } from 'express';
import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { createHandler, type Response as SseResponse } from 'graphql-sse';
import type { LiveBalances } from '../accounts/live-balances.js';
import { AppError } from '../kernel/app-error.js';
import type { Logger } from '../kernel/logger.js';
import { type Caller, createLoadOnce, type GraphqlContext } from './graphql-context.js';
import { createErrorFormatter } from './graphql-error.js';
import { queryLimits, tokensMax } from './query-limits.js';
import type { RequestViewer } from './request-viewer.js';

export interface GraphqlStreamParts {
  readonly schema: GraphQLSchema;
  readonly viewers: RequestViewer;
  readonly liveBalances: LiveBalances;
  readonly logger: Logger;
}

/** A reader who takes nothing for this long is taken for gone. */
const stalledReaderMs = 30_000;

type SseContext = Record<PropertyKey, unknown>;

/**
 * Serves subscriptions as server-sent events, in the distinct connections mode of the protocol GraphQL over SSE: one POST, one
 * subscription. Only subscriptions; everything else has its own address with its own limits. A comment every 12 seconds keeps
 * the connection alive. It ends when its session does, or when its key may no
 * longer ask, and when the server stops.
 */
export function createGraphqlStream(parts: GraphqlStreamParts): RequestHandler {
  const format = createErrorFormatter(parts.logger);
  const handle = createHandler<Request, { readerLeft: AbortSignal }, SseContext>({
    authenticate: () => null,
    // Done below, with our own rules.
    validate: () => [],
    onSubscribe: async ({ raw, context: { readerLeft } }, { query, operationName, variables }) => {
      const viewer = await parts.viewers.find(raw);
      if (viewer === null) return refuse(401, [formatThrown(new AppError('unauthenticated', 'Sign in first.'))]);
      const document = readSubscription(parts.schema, query, operationName);
      if (Array.isArray(document))
        return refuse(
          400,
          document.map((error) => format(error.toJSON(), error)),
        );
      const contextValue = createContext(raw, viewer, readerLeft) as unknown as SseContext;
      return {
        schema: parts.schema,
        document,
        operationName,
        variableValues: variables,
        contextValue,
      } as ExecutionArgs & {
        contextValue: SseContext;
      };
    },
    onNext: (_context, _request, result) =>
      result.errors
        ? { ...result, errors: result.errors.map((error) => format(error.toJSON(), error)) as never }
        : result,
  });
  const formatThrown = (error: AppError) => format({ message: error.message }, error);
  const createContext = (request: Request, viewer: Caller, signal: AbortSignal): GraphqlContext => ({
    viewer,
    isSessionOver: false,
    // Nothing that a subscription does could be repeated.
    token: null,
    idempotencyKey: null,
    addressOfCaller: request.ip ?? 'unknown',
    userAgent: request.headers['user-agent'] ?? null,
    isSignedInByCookie: parts.viewers.isByCookie(request),
    // Nothing that a subscription does begins or ends a session.
    deviceTokens: [],
    setDeviceCookie: () => {},
    setSessionCookie: () => {},
    clearSessionCookie: () => {},
    loadOnce: createLoadOnce(),
    watchBalance: () => {
      const isStillAllowed = () => parts.viewers.mayStill('balance', request, viewer);
      return parts.liveBalances.watch({ accountId: viewer.accountId, isStillAllowed, signal });
    },
  });
  return (request, response, next) => {
    const readerLeft = new AbortController();
    response.once('close', () => readerLeft.abort());
    handle({
      method: request.method,
      url: request.url,
      // Whatever else a client would take, there is only one thing to be had here.
      headers: { get: (name) => (name === 'accept' ? 'text/event-stream' : request.get(name)) },
      body: request.body,
      raw: request,
      context: { readerLeft: readerLeft.signal },
    })
      .then((answer) => send(response, answer, readerLeft.signal))
      .catch(next);
  };
}

/** @returns the document, or what is wrong with it. */
function readSubscription(
  schema: GraphQLSchema,
  query: unknown,
  operationName?: string,
): DocumentNode | GraphQLError[] {
  const fault = (message: string, code: string) => [new GraphQLError(message, { extensions: { code } })];
  let document: DocumentNode;
  try {
    document = parse(String(query), { maxTokens: tokensMax });
  } catch (error) {
    return fault(error instanceof Error ? error.message : 'The query cannot be read.', 'GRAPHQL_PARSE_FAILED');
  }
  if (getOperationAST(document, operationName)?.operation !== 'subscription') {
    return fault('Only subscriptions are served here. Send everything else to /graphql.', 'BAD_USER_INPUT');
  }
  const errors = validate(schema, document, [...specifiedRules, ...queryLimits]);
  const [first] = errors;
  return first ? fault(first.message.replace(/ Did you mean .*$/, ''), 'GRAPHQL_VALIDATION_FAILED') : document;
}

function refuse(status: number, errors: readonly object[]): SseResponse {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return [JSON.stringify({ errors }), { status, statusText: '', headers }];
}

async function send(
  response: Response,
  [body, { status, headers }]: SseResponse,
  readerLeft: AbortSignal,
): Promise<void> {
  response.writeHead(status, { ...headers, 'x-accel-buffering': 'no' });
  if (body === null || typeof body === 'string') {
    response.end(body);
    return;
  }
  const end = () => void body.return(undefined);
  readerLeft.addEventListener('abort', end, { once: true });
  if (readerLeft.aborted) end();
  for await (const event of body) {
    if (response.write(event)) continue;
    const patience = AbortSignal.any([readerLeft, AbortSignal.timeout(stalledReaderMs)]);
    await once(response, 'drain', { signal: patience }).catch(() => response.destroy());
    if (response.destroyed) break;
  }
  response.end();
}
