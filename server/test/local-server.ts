import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** An HTTP server of this machine, which each kind of double answers in its own way. */
export abstract class LocalServer {
  readonly #server = createServer((request, response) => void this.answer(request, response));

  static async start<Double extends LocalServer, Given extends unknown[]>(
    this: new (
      ...given: Given
    ) => Double,
    ...given: Given
  ): Promise<Double> {
    const double = new this(...given);
    await double.listen();
    return double;
  }

  /** One that all tests of the suite around it share; it is closed behind them. */
  static forAll<Double extends LocalServer>(this: new () => Double): Double {
    const double = new this();
    beforeAll(() => double.listen());
    afterAll(() => double.close());
    return double;
  }

  async listen(): Promise<void> {
    await listenLocally(this.#server);
  }

  get port(): number {
    return portOf(this.#server);
  }

  /** Without a slash at the end. */
  get baseUrl(): string {
    return urlOf(this.#server);
  }

  /** Ends at once, whatever still runs. */
  async close(): Promise<void> {
    await closeServer(this.#server);
  }

  protected abstract answer(request: IncomingMessage, response: ServerResponse): unknown;
}

/** Has a server listen on a free port of this machine. */
export async function listenLocally(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** The port of a server that listens. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Where a server that listens is reached by HTTP, without a slash at the end. */
export function urlOf(server: Server): string {
  return `http://127.0.0.1:${portOf(server)}`;
}

/** Ends a server, with every connection to it; one that has ended stays so. */
export async function closeServer(server: HttpServer): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
