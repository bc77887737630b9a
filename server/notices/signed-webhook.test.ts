import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
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

describe('a receiver of webhooks that means no good', () => {
  const head = 'HTTP/1.1 200 OK\r\n';
  const switching = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n';
  const timeout = 'The webhook did not answer within 5 seconds.';
  const every = (ms: number, socket: Socket, write: () => unknown) => {
    const timer = setInterval(write, ms);
    socket.on('close', () => clearInterval(timer));
  };
  const fill = (socket: Socket, piece: string) => {
    const go = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', go);
    go();
  };
  const receivers: [what: string, answer: (socket: Socket) => void, fault: string | RegExp | null][] = [
    ['another protocol', (socket) => socket.write(switching), 'The webhook answered 101.'],
    ['another protocol, and its end', (socket) => socket.end(switching), 'The webhook answered 101.'],
    ['101 alone', (socket) => socket.write('HTTP/1.1 101 X\r\n\r\n'), 'The webhook answered 101.'],
    [
      'a redirect to itself',
      (socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: /\r\n\r\n'),
      'The webhook answered 302.',
    ],
    ['nothing', () => {}, timeout],
    [
      'news of an answer without end',
      (socket) => every(50, socket, () => socket.write('HTTP/1.1 103 Hints\r\n\r\n')),
      timeout,
    ],
    ['a byte a second', (socket) => every(1_000, socket, () => socket.write('H')), /^The webhook (did not|cannot)/],
    ['a head without end', (socket) => fill(socket, `${head}${'x: y\r\n'.repeat(9_999)}`), /^The webhook cannot/],
    [
      'a body of a gigabyte',
      (socket) => fill(socket, `${head}content-length: 1073741824\r\n\r\n${'x'.repeat(99_999)}`),
      null,
    ],
  ];

  it.each(receivers)(
    'and answers %s is done with after five seconds at most',
    async (_what, answer, fault) => {
      const server = createTcpServer((socket) => void socket.on('error', () => {}).once('data', () => answer(socket)));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      try {
        const delivered = deliverWebhook({ id: 'note_1', url, body: '{}', secret: 'secret', nowMs: 0 }, true);
        if (fault === null) await delivered;
        else await expect(delivered).rejects.toThrow(fault);
      } finally {
        server.close();
      }
    },
    15_000,
  );
});
