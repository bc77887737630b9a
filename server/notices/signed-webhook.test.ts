import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { deliverWebhook } from './signed-webhook.js';

describe('a webhook that is tried out on one machine', () => {
  afterEach(() => mock.restoreAll());

  it('finds its receiver by name without a thread of the process', async () => {
    const receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    // As where every thread waits for a name server that says nothing.
    const threads = mock.method(dns, 'lookup', () => {});
    const delivery = { id: 'note_1', body: '{}', secret: 'secret', nowMs: 0 };
    await deliverWebhook({ ...delivery, url: `http://localhost:${port}/` }, true);
    expect(threads.mock.callCount()).toBe(0);
    receiver.close();
  });
});
