import type { IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from '../../server/test/local-server.js';

// One token each, so that no output cap is reached while every buffer fills; the rest of it only takes room.
const choices = [{ index: 0, delta: { content: ' word' }, finish_reason: null }];
const chunk = { id: 'u', object: 'chat.completion.chunk', created: 1, model: 'u', choices };
const event = `data: ${JSON.stringify({ ...chunk, system_fingerprint: 'x'.repeat(4_000) })}\n\n`;

/** A provider that streams without end, as fast as it is read, until its reader goes away. */
export class FloodUpstream extends LocalServer {
  bytesSent = 0;

  override get baseUrl(): string {
    return `${super.baseUrl}/v1`;
  }

  protected answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume().on('end', () => this.#flood(response));
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
