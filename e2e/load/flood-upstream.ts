import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const toChunk = (delta: object, finishReason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'u', object: 'chat.completion.chunk', created: 1, model: 'u', choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;

/** A provider that streams without end, as fast as it is read, until its reader goes away. */
export class FloodUpstream {
  bytesSent = 0;
  readonly #server = createServer((request, response) => {
    request.resume().on('end', () => this.#flood(response));
  });

  static async start(): Promise<FloodUpstream> {
    const upstream = new FloodUpstream();
    upstream.#server.listen(0, '127.0.0.1');
    await once(upstream.#server, 'listening');
    return upstream;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #flood(response: ServerResponse): void {
    const piece = Buffer.from(toChunk({ content: 'word '.repeat(20) }).repeat(16));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const write = () => {
      while (!response.destroyed) {
        this.bytesSent += piece.length;
        if (!response.write(piece)) return;
      }
    };
    response.on('drain', write);
    write();
  }
}
