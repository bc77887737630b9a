import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { closeServer, listenLocally, urlOf } from './local-server.js';

/** One request that a client made, and all that it was answered. */
export interface RecordedExchange {
  readonly method: string;
  readonly path: string;
  readonly requestHeaders: IncomingHttpHeaders;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** What had come when the exchange ended. */
  readonly text: string;
}

/** Stands between a client and a server, changes nothing, and writes down every exchange that ended. */
export class WireRecorder {
  /** By the caller's key, in the order of the requests. */
  readonly #exchanges = new Map<string, Promise<RecordedExchange | null>[]>();
  // It passes on the server's own `keep-alive: timeout=65`, so it has to keep a connection for longer than that: a client
  // that sends on one just closed sees a connection error, and tries again without an exchange.
  readonly #server = createServer({ keepAliveTimeout: 75_000 }, (incoming, response) =>
    this.#passOn(incoming, response),
  );

  private constructor(private readonly targetUrl: string) {}

  static async start(targetUrl: string): Promise<WireRecorder> {
    const recorder = new WireRecorder(targetUrl);
    await listenLocally(recorder.#server);
    return recorder;
  }

  get baseUrl(): string {
    return urlOf(this.#server);
  }

  /** The exchanges of the caller with this key, oldest first, once all of them have ended. One cut before its answer is left out. */
  async exchangesOf(secret: string): Promise<RecordedExchange[]> {
    const exchanges = await Promise.all(this.#exchanges.get(secret) ?? []);
    return exchanges.filter((exchange) => exchange !== null);
  }

  async close(): Promise<void> {
    await closeServer(this.#server);
  }

  #passOn(incoming: IncomingMessage, response: ServerResponse): void {
    const { authorization, 'x-api-key': apiKey } = incoming.headers;
    const caller = String(apiKey ?? authorization ?? '').replace(/^Bearer /, '');
    const recorded = new Promise<RecordedExchange | null>((resolve) => {
      const { method = '', url: path = '', headers } = incoming;
      const outgoing = request(`${this.targetUrl}${path}`, { method, headers }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('error', () => {});
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('close', () => {
          if (!answer.complete) response.destroy();
          const text = Buffer.concat(pieces).toString('utf8');
          resolve({
            method,
            path,
            requestHeaders: headers,
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text,
          });
        });
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      outgoing.on('error', () => {
        response.destroy();
        resolve(null);
      });
      response.on('close', () => {
        if (!response.writableFinished) outgoing.destroy();
      });
      incoming.pipe(outgoing);
    });
    this.#exchanges.set(caller, [...(this.#exchanges.get(caller) ?? []), recorded]);
  }
}
