import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { ExecutionArgs, GraphQLFormattedError } from 'graphql';
import { createHandler, type Response as SseResponse } from 'graphql-sse';
import { type AppError, createSignInError } from '../kernel/app-error.js';
import { createErrorFormatter } from './graphql-error.js';
import { createSubscriptionContext, readSubscription, type SubscriptionParts, subscribeAlone } from './subscription.js';

type SseContext = Record<PropertyKey, unknown>;

/** The connection of one reader. */
interface Reader {
  readonly response: Response;
  readonly left: AbortSignal;
}

/**
 * Serves subscriptions as server-sent events, in the distinct connections mode of the protocol GraphQL over SSE: one POST, one
 * subscription. Only subscriptions; everything else has its own address with its own limits. A comment every 12 seconds keeps
 * the connection alive. It ends when its session does, or when its key may no
 * longer ask, and when the server stops. A reader who is behind is told no further events before those that wait are taken, and then
 * how things stand by then: at most two wait.
 */
export function createGraphqlStream(parts: SubscriptionParts): RequestHandler {
  const format = createErrorFormatter(parts.logger);
  const handle = createHandler<Request, { reader: Reader }, SseContext>({
    authenticate: () => null,
    // Done below, with our own rules.
    validate: () => [],
    onSubscribe: async ({ raw, context: { reader } }, { query, operationName, variables }) => {
      const viewer = await parts.viewers.find(raw);
      if (viewer === null) return refuse(401, [formatThrown(createSignInError())]);
      const document = readSubscription(parts.schema, { query, operationName, variables });
      if (Array.isArray(document))
        return refuse(
          400,
          document.map((error) => format(error.toJSON(), error)),
        );
      await parts.gate.countSubscription({ viewer, addressOfCaller: raw.ip ?? 'unknown' });
      const context = createSubscriptionContext(parts, raw, { viewer, signal: reader.left });
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
    onNext: async (_context, { context: { reader } }, result) => {
      // The library keeps whatever comes for whoever reads, and asks for nothing further before this is over: what came before is
      // written by the next turn of the loop.
      await nextTurn();
      await untilTaken(reader);
      if (!result.errors) return result;
      return { ...result, errors: result.errors.map((error) => format(error.toJSON(), error)) as never };
    },
  });
  const formatThrown = (error: AppError) => format({ message: error.message }, error);
  return (request, response, next) => {
    const leaving = new AbortController();
    response.once('close', () => leaving.abort());
    const reader = { response, left: leaving.signal };
    handle({
      method: request.method,
      url: request.url,
      // Whatever else a client would take, there is only one thing to be had here.
      headers: { get: (name) => (name === 'accept' ? 'text/event-stream' : request.get(name)) },
      body: request.body,
      raw: request,
      context: { reader },
    })
      .then((answer) => send(answer, reader))
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

/** Waits until what was written for a reader is taken, or they have left. Whoever takes nothing is cut off (`StalledReaders`). */
async function untilTaken({ response, left }: Reader): Promise<void> {
  if (response.writableNeedDrain) await once(response, 'drain', { signal: left }).catch(() => {});
}

async function send([body, { status, headers }]: SseResponse, reader: Reader): Promise<void> {
  const { response, left } = reader;
  response.writeHead(status, { ...headers, 'x-accel-buffering': 'no' });
  if (body === null || typeof body === 'string') {
    response.end(typeof body === 'string' && status >= 400 ? withCodes(body) : body);
    return;
  }
  const end = () => void body.return(undefined);
  left.addEventListener('abort', end, { once: true });
  if (left.aborted) end();
  for await (const event of body) {
    response.write(event);
    await untilTaken(reader);
    if (left.aborted) break;
  }
  response.end();
}
