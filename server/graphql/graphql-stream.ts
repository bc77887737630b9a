import { once } from 'node:events';
import type { Request, RequestHandler, Response } from 'express';
import type { ExecutionArgs, GraphQLFormattedError } from 'graphql';
import { createHandler, type Response as SseResponse } from 'graphql-sse';
import { AppError } from '../kernel/app-error.js';
import { createErrorFormatter } from './graphql-error.js';
import { createSubscriptionContext, readSubscription, type SubscriptionParts, subscribeAlone } from './subscription.js';

type SseContext = Record<PropertyKey, unknown>;

/**
 * Serves subscriptions as server-sent events, in the distinct connections mode of the protocol GraphQL over SSE: one POST, one
 * subscription. Only subscriptions; everything else has its own address with its own limits. A comment every 12 seconds keeps
 * the connection alive. It ends when its session does, or when its key may no
 * longer ask, and when the server stops.
 */
export function createGraphqlStream(parts: SubscriptionParts): RequestHandler {
  const format = createErrorFormatter(parts.logger);
  const handle = createHandler<Request, { readerLeft: AbortSignal }, SseContext>({
    authenticate: () => null,
    // Done below, with our own rules.
    validate: () => [],
    onSubscribe: async ({ raw, context: { readerLeft } }, { query, operationName, variables }) => {
      const viewer = await parts.viewers.find(raw);
      if (viewer === null) return refuse(401, [formatThrown(new AppError('unauthenticated', 'Sign in first.'))]);
      const document = readSubscription(parts.schema, { query, operationName, variables });
      if (Array.isArray(document))
        return refuse(
          400,
          document.map((error) => format(error.toJSON(), error)),
        );
      await parts.gate.countSubscription({ viewer, addressOfCaller: raw.ip ?? 'unknown' });
      const context = createSubscriptionContext(parts, raw, { viewer, signal: readerLeft });
      const contextValue = context as unknown as SseContext;
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
    subscribe: subscribeAlone,
    onNext: (_context, _request, result) =>
      result.errors
        ? { ...result, errors: result.errors.map((error) => format(error.toJSON(), error)) as never }
        : result,
  });
  const formatThrown = (error: AppError) => format({ message: error.message }, error);
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

function refuse(status: number, errors: readonly object[]): SseResponse {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return [JSON.stringify({ errors }), { status, statusText: '', headers }];
}

// What graphql-sse refuses by itself, which is always a fault of the request, it gives no code.
function withCodes(body: string): string {
  const { errors } = JSON.parse(body) as { readonly errors: readonly GraphQLFormattedError[] };
  const coded = errors.map((error) => ({ ...error, extensions: error.extensions ?? { code: 'BAD_USER_INPUT' } }));
  return JSON.stringify({ errors: coded });
}

async function send(
  response: Response,
  [body, { status, headers }]: SseResponse,
  readerLeft: AbortSignal,
): Promise<void> {
  response.writeHead(status, { ...headers, 'x-accel-buffering': 'no' });
  if (body === null || typeof body === 'string') {
    response.end(typeof body === 'string' && status >= 400 ? withCodes(body) : body);
    return;
  }
  const end = () => void body.return(undefined);
  readerLeft.addEventListener('abort', end, { once: true });
  if (readerLeft.aborted) end();
  for await (const event of body) {
    if (response.write(event)) continue;
    await once(response, 'drain', { signal: readerLeft }).catch(() => response.destroy());
    if (response.destroyed) break;
  }
  response.end();
}
