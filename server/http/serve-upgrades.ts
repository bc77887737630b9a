import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import { afterAnswers } from './open-answers.js';

/** Takes over a connection whose client asks for a WebSocket. */
export type TakeWebSocket = (request: Request, socket: Duplex, head: Buffer) => void;

/**
 * Serves WebSockets at one address. Every other request that offers an upgrade is answered as if it had not, which HTTP leaves to
 * the server: some clients offer HTTP/2 with their first request, of whatever kind it is. An offer behind an answer that has not
 * ended has its turn afterwards. One with a body comes here on older Nodes alone (`create-http-server.ts`).
 * @param server One of `createHttpServer`.
 */
export function serveUpgrades(server: Server, path: string, take: TakeWebSocket): Server {
  const serve = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket' && request.method === 'GET';
    // It was born as a request of Express, so that it knows the address of whoever sent it.
    if (isWebSocket && request.url?.split('?')[0] === path) take(request as Request, socket, head);
    // Node drops what is beyond its bound, and one of those may be the length of the body.
    else if (request.rawHeaders.length >= 2 * (server.maxHeadersCount ?? 0)) {
      socket.on('error', () => socket.destroy());
      socket.end('HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n', () => socket.destroy());
    } else serveWithoutUpgrade(server, request, { socket, head });
  };
  return server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    afterAnswers(server, request.socket, () => serve(request, socket, head)),
  );
}

// Node stops reading a connection as HTTP once somebody listens for upgrades, so it is handed in again, from the request on.
function serveWithoutUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const value = rawHeaders[index + 1] as string;
    if (name.toLowerCase() === 'connection') {
      const kept = value.split(',').filter((word) => !offers.has(word.trim().toLowerCase()));
      if (kept.length > 0) lines.push(`${name}: ${kept.join(',')}`);
    } else if (!offers.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

const offers: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);
