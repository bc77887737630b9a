import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { LocalServer } from '../../server/test/local-server.js';

/** A message as it came. */
export interface ReceivedMessage {
  readonly id: string;
  readonly body: string;
  readonly signature: string;
}

/** Somebody's receiver of webhooks, on this machine. */
export class WebhookReceiver extends LocalServer {
  /** Oldest first. */
  readonly received: ReceivedMessage[] = [];
  /** What it answers to the next messages. */
  status = 200;

  get url(): string {
    return `${this.baseUrl}/hook`;
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request;
    const [id, signature] = [headers['tollgate-notice-id'], headers['tollgate-signature']].map(String);
    this.received.push({ id: id ?? '', body: await text(request), signature: signature ?? '' });
    response.writeHead(this.status).end();
  }
}

/** Whether a message was signed by this secret, as the page describes it. */
export function isSignedBy(secret: string, { body, signature }: ReceivedMessage): boolean {
  const [, seconds = '', found = ''] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(signature) ?? [];
  return found === createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
}
