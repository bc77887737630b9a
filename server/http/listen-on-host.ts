import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loopbackName } from '../kernel/addresses/loopback.js';

export interface ListenPlace {
  /** An address or a name; `localhost` means this machine by IPv4 and by IPv6, whichever of them it has. */
  readonly host: string;
  /** 0: the system chooses. */
  readonly port: number;
  /** How many connections the system takes for us while the loop is busy. */
  readonly backlog: number;
}

/** What a machine says that has no such family of addresses. */
const missingFamily = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);
/** The port that the system chose for one family may be taken in the other. */
const attemptsMax = 20;

/**
 * Opens a server on each address that the host stands for, all on one port. Whoever opens http://localhost is led to `::1`
 * first by some systems and to 127.0.0.1 by others, and must not find a stranger there, or nobody.
 * @throws the system's error, with the call `listen`; then nothing is open.
 */
export async function listenOnHost(
  createServer: () => Server,
  place: ListenPlace,
): Promise<{ servers: Server[]; port: number }> {
  for (let attemptsLeft = attemptsMax; ; attemptsLeft -= 1) {
    const servers: Server[] = [];
    try {
      return { servers, port: await openAll(createServer, place, servers) };
    } catch (error) {
      for (const server of servers) server.close();
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (place.port === 0 && isTaken && attemptsLeft > 1) continue;
      // In a worker it is called `bind`, and a name that nobody knows fails in a call of its own.
      throw Object.assign(error as Error, { syscall: 'listen' });
    }
  }
}

async function openAll(createServer: () => Server, place: ListenPlace, opened: Server[]): Promise<number> {
  if (place.host !== loopbackName) return open(createServer, place, opened);
  let port = place.port;
  let lastError: unknown;
  for (const host of ['127.0.0.1', '::1']) {
    try {
      port = await open(createServer, { ...place, host, port }, opened);
    } catch (error) {
      if (!missingFamily.has(String((error as NodeJS.ErrnoException).code))) throw error;
      lastError = error;
    }
  }
  if (opened.length === 0) throw lastError;
  return port;
}

async function open(createServer: () => Server, place: ListenPlace, opened: Server[]): Promise<number> {
  const server = createServer();
  server.listen(place);
  await once(server, 'listening');
  opened.push(server);
  return (server.address() as AddressInfo).port;
}
