import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import { type ExecutionArgs, GraphQLError } from 'graphql';
import { type Context, handleProtocols, makeServer, type Server, type SubscribePayload } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { findDatabaseAway, tellDatabaseAway } from '../database/database-errors.js';
import { networkOf } from '../kernel/addresses/network-address.js';
import { AppError } from '../kernel/app-error.js';
import { JsonGauge } from '../kernel/json-gauge.js';
import type { AskingRequest } from './cookies/guarded-cookie.js';
import { createErrorFormatter, describeAppError } from './graphql-error.js';
import { bodyBytesMax, bodyLimits } from './graphql-middleware.js';
import { SeatCounter } from './limits/seat-counter.js';
import { createSubscriptionContext, readSubscription, type SubscriptionParts, subscribeAlone } from './subscription.js';

/** Waits of one connection. */
export interface SocketTimes {
  /** How long a client may take to say who it is. */
  readonly initMs: number;
  /** How often a client is asked whether it is there; whoever has not answered by the next time has left. */
  readonly pingMs: number;
  /** A connection without a subscription for this long is closed. */
  readonly idleMs: number;
}

const usualTimes: SocketTimes = { initMs: 10_000, pingMs: 12_000, idleMs: 60_000 };
const connectionsPerAccountMax = 5;
/** Before anybody has said who they are. Behind one address there may be an office. */
const connectionsPerNetworkMax = 50;
const subscriptionsMax = 5;
const messagesPerMinuteMax = 120;
const minuteMs = 60_000;

/** One connection, beside what the protocol knows of it. */
interface Connection {
  readonly socket: WebSocket;
  readonly left: AbortController;
  /** With the authorization that came in the first message, if one did. */
  asker: AskingRequest;
  context: Context<Record<string, unknown>, Connection> | null;
  idleSinceMs: number;
  messages: { fromMs: number; count: number };
}

/**
 * Serves subscriptions over WebSocket, by the protocol `graphql-transport-ws`: the same ones as `/graphql/stream`, for the same
 * callers, within the same limits. Who asks is known by the header `Authorization`, by the session cookie, or by the field
 * `authorization` of the first message, and is asked for again with each subscription. Refusals close the connection: 4401 who
 * asks is not known, 4403 not allowed, 4408 nothing was said, 4429 too much, 4400 and 1009 what is no message of the protocol.
 */
export class GraphqlSockets {
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: bodyBytesMax,
    perMessageDeflate: false,
    handleProtocols,
  });
  readonly #format: ReturnType<typeof createErrorFormatter>;
  readonly #protocol: Server<Connection>;
  readonly #ofNetworks = new SeatCounter(connectionsPerNetworkMax);
  readonly #ofAccounts = new SeatCounter(connectionsPerAccountMax);

  constructor(
    private readonly parts: SubscriptionParts,
    private readonly times = usualTimes,
  ) {
    this.#format = createErrorFormatter(parts.logger);
    this.#protocol = makeServer<Record<string, unknown>, Connection>({
      connectionInitWaitTimeout: times.initMs,
      onConnect: (context) => this.#admit(context),
      onSubscribe: (context, _id, payload) => this.#subscribe(context, payload),
      subscribe: subscribeAlone,
      onNext: (_context, _id, _payload, _args, { data = null, errors }) =>
        errors && { data, errors: errors.map((error) => this.#format(error.toJSON(), error)) },
      onError: (_context, _id, _payload, errors) => errors.map((error) => this.#format(error.toJSON(), error)),
      onComplete: ({ extra }) => {
        extra.idleSinceMs = performance.now();
      },
    });
  }

  /** Takes over a connection whose client asks for a WebSocket. */
  take(request: Request, socket: Duplex, head: Buffer): void {
    const network = networkOf(request.ip ?? 'unknown');
    try {
      this.parts.viewers.refuseForeign(request);
      const leave = this.#ofNetworks.take(network, 'This network has as many connections as it may have. Close some.');
      socket.once('close', leave);
    } catch (error) {
      refuseUpgrade(socket, error as AppError);
      return;
    }
    const asker = { headers: request.headers, ip: request.ip };
    this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#open(opened, asker));
  }

  /** Closes all connections, before the server stops. */
  close(): void {
    for (const socket of this.#sockets.clients) socket.close(1001, 'The server stops.');
  }

  #open(socket: WebSocket, asker: AskingRequest): void {
    const nowMs = performance.now();
    const messages = { fromMs: nowMs, count: 0 };
    const left = new AbortController();
    const connection: Connection = { socket, left, asker, context: null, idleSinceMs: nowMs, messages };
    const isOpen = () => socket.readyState === socket.OPEN;
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        // A reader who takes nothing is left by the pings, and until then told nothing more.
        send: (text) =>
          new Promise((resolve) => {
            if (isOpen()) socket.send(text, () => resolve());
            else resolve();
          }),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (receive) => {
          socket.on('message', (data: Buffer, isBinary) => {
            if (!isOpen() || !isAcceptable(connection, data, isBinary)) return;
            receive(data.toString('utf8')).catch((error: unknown) => this.#closeFor(socket, error));
          });
        },
      },
      connection,
    );
    const pings = this.#ping(connection);
    socket.on('error', () => socket.terminate());
    socket.once('close', (code) => {
      clearInterval(pings);
      left.abort();
      closed(code, '').catch((error: unknown) => this.parts.logger.error('graphql_socket_failed', { error }));
    });
  }

  #ping(connection: Connection): NodeJS.Timeout {
    const { socket } = connection;
    let isThere = true;
    socket.on('pong', () => {
      isThere = true;
    });
    const look = () => {
      if (!isThere) return socket.terminate();
      const { context, idleSinceMs } = connection;
      const isIdle = context !== null && Object.keys(context.subscriptions).length === 0;
      if (isIdle && performance.now() - idleSinceMs >= this.times.idleMs)
        return socket.close(1000, 'Nothing was asked.');
      isThere = false;
      socket.ping();
    };
    // Where this process stood still, an answer that came meanwhile is read first.
    return setInterval(() => setImmediate(look), this.times.pingMs);
  }

  async #admit(context: Context<Record<string, unknown>, Connection>): Promise<void> {
    const { extra, connectionParams } = context;
    const authorization = findAuthorization(connectionParams ?? {});
    if (authorization !== null) extra.asker = { ...extra.asker, headers: { ...extra.asker.headers, authorization } };
    const { accountId, operatorId } = await this.#requireViewer(extra);
    const words = 'This account has as many connections as it may have. Close one of them.';
    const leave = this.#ofAccounts.take(operatorId ?? accountId, words);
    if (extra.left.signal.aborted) leave();
    extra.left.signal.addEventListener('abort', leave, { once: true });
    extra.context = context;
    extra.idleSinceMs = performance.now();
  }

  async #subscribe(
    { extra, subscriptions }: Context<Record<string, unknown>, Connection>,
    { query, operationName, variables }: SubscribePayload,
  ) {
    if (Object.keys(subscriptions).length > subscriptionsMax) {
      throw new AppError('concurrency_limit_exceeded', `Have at most ${subscriptionsMax} subscriptions at a time.`);
    }
    const viewer = await this.#requireViewer(extra);
    const { schema, gate } = this.parts;
    const document = readSubscription(schema, { query, operationName, variables });
    if (Array.isArray(document)) return document;
    try {
      await gate.countSubscription({ viewer, addressOfCaller: extra.asker.ip ?? 'unknown' });
    } catch (error) {
      // The other subscriptions of the connection go on.
      if (error instanceof AppError) return [new GraphQLError(error.message, { originalError: error })];
      throw error;
    }
    const contextValue = createSubscriptionContext(this.parts, extra.asker, { viewer, signal: extra.left.signal });
    return { schema, document, operationName, variableValues: variables, contextValue } as ExecutionArgs;
  }

  async #requireViewer({ asker }: Connection) {
    const viewer = await this.parts.viewers.find(asker);
    if (viewer) return viewer;
    throw new AppError('unauthenticated', 'Sign in first, and send `authorization`.');
  }

  #closeFor(socket: WebSocket, error: unknown): void {
    const away = findDatabaseAway(error);
    if (away !== null) {
      tellDatabaseAway(this.parts.logger, away);
      // "Try again later"; clients take 4500 for the end.
      socket.close(1013, away.message);
      return;
    }
    const code = error instanceof AppError ? closeCodes[describeAppError(error).extensions.code] : undefined;
    if (code === undefined) this.parts.logger.error('graphql_socket_failed', { error });
    const words = code === undefined ? 'Something went wrong on our side.' : (error as AppError).message;
    // A reason has at most 123 bytes, and what is cut in the middle of a character gets three.
    socket.close(code ?? 4500, Buffer.from(words).subarray(0, 120).toString());
  }
}

/** Whether a message is within the limits of every request; if not, the connection is closed. */
function isAcceptable({ socket, messages }: Connection, data: Buffer, isBinary: boolean): boolean {
  const nowMs = performance.now();
  if (nowMs - messages.fromMs >= minuteMs) {
    messages.fromMs = nowMs;
    messages.count = 0;
  }
  messages.count += 1;
  const gauge = new JsonGauge(bodyLimits);
  gauge.push(data);
  if (messages.count > messagesPerMinuteMax) {
    socket.close(4429, `Send at most ${messagesPerMinuteMax} messages a minute.`);
  } else if (isBinary) socket.close(4400, 'Send text.');
  else if (gauge.excess !== null) {
    socket.close(4400, `Send at most ${bodyLimits.valuesMax} values, ${bodyLimits.levelsMax} levels deep.`);
  } else return true;
  return false;
}

/** Clients write it at the top or below `headers`, in small letters or not. */
function findAuthorization(parameters: Readonly<Record<string, unknown>>): string | null {
  const { headers } = parameters;
  const nested = typeof headers === 'object' && headers !== null ? Object.entries(headers) : [];
  const found = [...Object.entries(parameters), ...nested].find(([name]) => name.toLowerCase() === 'authorization');
  return typeof found?.[1] === 'string' ? found[1] : null;
}

function refuseUpgrade(socket: Duplex, error: AppError): void {
  const { message, extensions } = describeAppError(error);
  const status = extensions.code === 'FORBIDDEN' ? '403 Forbidden' : '429 Too Many Requests';
  const body = JSON.stringify({ errors: [{ message, extensions }] });
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.on('error', () => socket.destroy());
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy());
}

const closeCodes: Readonly<Record<string, number>> = { UNAUTHENTICATED: 4401, FORBIDDEN: 4403, RATE_LIMITED: 4429 };
