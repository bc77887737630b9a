import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// One token each, so that no output cap is reached while every buffer fills; the rest of it only takes room.
const choices = [{ index: 0, delta: { content: ' word' }, finish_reason: null }];
const chunk = { id: 'u', object: 'chat.completion.chunk', created: 1, model: 'u', choices };
const event = `data: ${JSON.stringify({ ...chunk, system_fingerprint: 'x'.repeat(4_000) })}\n\n`;

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
    const piece = Buffer.from(event.repeat(4));
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
