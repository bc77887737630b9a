import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A message as it came. */
export interface ReceivedMessage {
  readonly id: string;
  readonly body: string;
  readonly signature: string;
}

/** Somebody's receiver of webhooks, on this machine. */
export class WebhookReceiver {
  /** Oldest first. */
  readonly received: ReceivedMessage[] = [];
  /** What it answers to the next messages. */
  status = 200;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', async (request, response) => {
      const { headers } = request;
      const [id, signature] = [headers['tollgate-notice-id'], headers['tollgate-signature']].map(String);
      receiver.received.push({ id: id ?? '', body: await text(request), signature: signature ?? '' });
      response.writeHead(receiver.status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}

/** Whether a message was signed by this secret, as the page describes it. */
export function isSignedBy(secret: string, { body, signature }: ReceivedMessage): boolean {
  const [, seconds = '', found = ''] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(signature) ?? [];
  return found === createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}
