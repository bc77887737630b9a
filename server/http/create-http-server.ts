import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Express } from 'express';
import { answerRequests, connectionsOf } from './open-answers.js';
import { cutStalledReaders } from './stalled-readers.js';

export interface ServerTimes {
  /** How long a sender may take over the head of a request. */
  readonly headMs: number;
  /** … and over all of it. */
  readonly requestMs: number;
}

/** Headers of one request that Node keeps; Node.js 20 drops further ones, newer ones refuse the request with 431. */
export const headersMax = 100;

const ordinaryTimes: ServerTimes = { headMs: 10_000, requestMs: 60_000 };

/**
 * An HTTP server that slow or hostile senders and readers cannot wear out: headers within 10 seconds, a whole body within 60, bounded
 * headers and connections, one request of a connection at a time, and no reader who takes nothing for 30 seconds. Answers may stream
 * for as long as the call lasts.
 */
export function createHttpServer(app: Express, { headMs, requestMs } = ordinaryTimes): Server {
  const server: Server = createServer({
    // Express gives each request and response its own prototype, which V8 before 12 pays for on every access from then
    // on. Objects that are born with that prototype cost nothing: a third of the processor time of a plain call.
    IncomingMessage: bornAs(IncomingMessage, app.request),
    ServerResponse: bornAs(ServerResponse, app.response),
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(2_000, headMs / 2),
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16_384,
    // Node would answer at once, in front of its turn.
    requireHostHeader: false,
    // Newer Nodes ask, before they stop reading a connection as HTTP: 26 hands over no body of what is taken.
    ...{
      shouldUpgradeCallback: (request: IncomingMessage) => server.listenerCount('upgrade') > 0 && !hasBody(request),
    },
  });
  server.maxHeadersCount = headersMax;
  server.maxConnections = 10_000;
  answerRequests(server, (request, response) => {
    if (request.headers.host === undefined && request.httpVersion === '1.1') refuseWithoutHost(response);
    else app(request, response);
  });
  cutStalledReaders(server);
  server.prependListener('request', (request, response) => {
    // Node loses what it has read behind an offer of another protocol that is passed over, so nothing may follow it.
    if (leaving.has(server) || request.headers.upgrade !== undefined) response.setHeader('connection', 'close');
  });
  // What else an `Expect` wishes for, a server may pass over (RFC 9110, 10.1.1); Node would answer 417 without us.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  return server;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

// As Node would (RFC 9112, 3.2).
function refuseWithoutHost(response: ServerResponse): void {
  response.writeHead(400, { connection: 'close' }).end();
}

/**
 * A constructor that makes what `base` makes, with `prototype`, which inherits from that of `base`. Node's two are functions
 * of the old kind, so that they can be called on an object of ours; `Reflect.construct` would cost twenty microseconds each.
 * As a child of `base` it gets objects with room for all that its parents put into them; V8 makes slow dictionaries of others.
 */
function bornAs<Base extends typeof IncomingMessage | typeof ServerResponse>(base: Base, prototype: object): Base {
  function born(this: object, ...parts: unknown[]): void {
    (base as unknown as (this: object, ...parts: unknown[]) => void).apply(this, parts);
  }
  born.prototype = prototype;
  Object.setPrototypeOf(born, base);
  return born as unknown as Base;
}

/** How long a connection without a request is still listened to: one may be on its way. */
const idleGraceMs = 1_000;
const lookMs = 100;

/** Servers that are to stop. */
const leaving = new WeakSet<Server>();

/**
 * Every answer from now on, of calls that run already too, says `Connection: close`, so that clients and load balancers that
 * keep connections open make their next call on a new one, which another server may have.
 */
export function askToReconnect(server: Server): void {
  leaving.add(server);
  for (const answers of connectionsOf(server).values()) {
    const latest = [...answers].at(-1);
    if (latest?.headersSent === false) latest.setHeader('connection', 'close');
  }
}

/** Stops taking calls, lets the running ones end, and cuts what is left after `timeoutMs`. */
export async function closeHttpServer(server: Server, timeoutMs: number): Promise<void> {
  askToReconnect(server);
  // Not by the `close` of an HTTP server: it cuts off whoever still reads an answer that is written, and paid.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const cut = setTimeout(() => {
    for (const socket of connectionsOf(server).keys()) socket.destroy();
  }, timeoutMs);
  // A browser keeps the connection of an answer that has left, such as the live balance; nobody else would close it.
  const fromMs = performance.now() + idleGraceMs;
  const look = setInterval(() => {
    if (performance.now() < fromMs) return;
    for (const [socket, answers] of connectionsOf(server)) if (answers.size === 0) socket.destroy();
  }, lookMs);
  await closed;
  clearTimeout(cut);
  clearInterval(look);
  // Ends the timer by which Node looks for slow senders.
  server.close();
}

/** How many connections are open now. */
export function countConnections(server: Server): number {
  return connectionsOf(server).size;
}
