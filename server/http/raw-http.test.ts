import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import express from 'express';
import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { openSqliteDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { closeHttpServer, createHttpServer } from './create-http-server.js';

/** Sends bytes as they are. @returns all that came back until the other side closed, or `isEnough` of it. */
function exchange(port: number, bytes: string | Buffer, isEnough: (received: string) => boolean = () => false) {
  return new Promise<string>((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1');
    const finish = () => {
      socket.destroy();
      resolve(received);
    };
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
      if (isEnough(received)) finish();
    });
    socket.on('error', finish);
    socket.on('close', finish);
    socket.write(bytes);
  });
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
const body = JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] });

describe('Raw HTTP', () => {
  let app: TestApp;
  let account: TestAccount;
  let port: number;
  beforeAll(async () => {
    app = await TestApp.start(await openSqliteDatabase());
    account = await app.createAccount(5);
    port = Number(new URL(app.baseUrl).port);
  });
  afterAll(async () => {
    expect(app.upstream.requests).toEqual([]);
    await app.close();
  });

  /** A chat request whose head has these lines besides what it needs. */
  const chat = (...lines: string[]) => {
    const head = ['POST /v1/chat/completions HTTP/1.1', `authorization: Bearer ${account.secret}`, ...lines];
    return `${head.join('\r\n')}\r\n\r\n`;
  };
  const sized = `content-length: ${body.length}`;
  const whole = (...lines: string[]) => chat('host: x', 'connection: close', sized, ...lines) + body;
  const expectAlive = async () => expect(statusOf(await exchange(port, whole()))).toBe(200);

  it.each([
    ['a head of 20 KB', () => whole(`x-filler: ${'x'.repeat(20_000)}`), 431],
    ['two different lengths', () => chat('host: x', sized, 'content-length: 3') + body, 400],
    ['a length and chunks', () => chat('host: x', sized, 'transfer-encoding: chunked') + body, 400],
    ['a length that is no number', () => chat('host: x', 'content-length: 1e3') + body, 400],
    ['a length below zero', () => chat('host: x', 'content-length: -1') + body, 400],
    ['an unknown transfer encoding', () => chat('host: x', 'transfer-encoding: gzip') + body, 400],
    ['no host', () => chat('connection: close', sized) + body, 400],
    ['a header without a colon', () => chat('host: x', 'nonsense', sized) + body, 400],
    ['a header with NUL', () => chat('host: x', 'x-a: b\0c', sized) + body, 400],
    ['a folded header', () => chat('host: x', 'x-a: b', ' c', 'connection: close', sized) + body, [200, 400]],
    ['line ends without CR', () => whole().replaceAll('\r\n', '\n'), 400],
    ['no HTTP at all', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 TLS\r\n\r\n', 400],
    ['a version that is none', () => 'GET /healthz HTTP/9.9\r\nhost: x\r\n\r\n', 400],
    ['HTTP/2 without asking', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['CONNECT', () => 'CONNECT 169.254.169.254:80 HTTP/1.1\r\nhost: x\r\n\r\n', [0, 400, 404, 405]],
    [
      'TRACE',
      () => `TRACE /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncookie: canary\r\n\r\n`,
      405,
    ],
    [
      'TRACE of the dashboard',
      () => 'TRACE / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncookie: canary\r\n\r\n',
      [404, 405],
    ],
    ['an absolute address of another host', () => whole().replace('/v1/', 'http://169.254.169.254/v1/'), [200, 404]],
    ['an address with NUL', () => 'GET /v1/models\0 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    [
      'a way out of the dashboard’s folder',
      () => 'GET /../../etc/passwd HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      [200, 400, 403, 404],
    ],
    [
      'the same, encoded',
      () => 'GET /%2e%2e/%2e%2e/package.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n',
      [200, 400, 403, 404],
    ],
  ])('%s: answered with a status that says so, and the server lives on', async (_, makeBytes, status) => {
    const answer = await exchange(port, makeBytes());
    expect([status].flat()).toContain(statusOf(answer));
    expect(answer).not.toMatch(/canary|root:|"scripts"|\bat .*\.js:/);
    await expectAlive();
  });

  it('a wish of the header Expect that nobody here knows is passed over: the call is answered, with its id', async () => {
    const answer = await exchange(port, whole('expect: the-impossible'));
    expect(statusOf(answer)).toBe(200);
    expect(answer).toMatch(/\r\nx-request-id: call_/);
  });

  const offer = [
    'connection: Upgrade, HTTP2-Settings, close',
    'upgrade: h2c',
    'http2-settings: AAMAAABkAARAAAAAAAIAAAAA',
  ];

  it('an offer of HTTP/2 is passed over, as Java’s own client makes it with its first request', async () => {
    const answer = await exchange(port, chat('host: x', sized, ...offer) + body);
    expect(statusOf(answer)).toBe(200);
    expect(answer).toContain('"chat.completion"');
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  it('an offer of HTTP/2 is passed over when the body comes later; another request after it is answered, or can be sent again', async () => {
    const head = chat('host: x', sized, 'connection: Upgrade', 'upgrade: h2c');
    const answer = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect(port, '127.0.0.1');
      socket.on('data', (piece) => {
        if (received === '') socket.write(whole());
        received += piece.toString('latin1');
      });
      socket.on('close', () => resolve(received));
      socket.write(head, () => setImmediate(() => socket.write(body)));
    });
    const isLast = /^connection: close\r$/im.test(answer.split('HTTP/1.1 200')[1] ?? '');
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(isLast ? 1 : 2);
  });

  it.each([
    ['a WebSocket where there is none', 'GET /v1/realtime HTTP/1.1', 404],
    ['a WebSocket by POST', 'POST /graphql HTTP/1.1', 415],
    ['another protocol at the address of WebSockets', 'GET /graphql HTTP/1.1', 405],
  ])('an offer of %s is answered as if it had not been made', async (_, line, status) => {
    const upgrade = line.startsWith('GET /graphql') ? 'upgrade: tls/1.0' : 'upgrade: websocket';
    const lines = [line, 'host: x', 'connection: upgrade, close', upgrade];
    expect(statusOf(await exchange(port, `${lines.join('\r\n')}\r\n\r\n`))).toBe(status);
  });

  it('an offer behind more headers than are read is refused, so that no body is taken for a request', async () => {
    const many = Array.from({ length: 120 }, (_, index) => `x${index}: 1`);
    const answer = await exchange(port, chat('host: x', ...offer, ...many, 'content-length: 40') + whole());
    expect(statusOf(answer)).toBe(431);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  it('1,500 headers, odd names such as __proto__ among them: no harm', async () => {
    const odd = ['__proto__: x', 'constructor: x', 'toString: x', 'hasOwnProperty: x'];
    const many = Array.from({ length: 1_500 }, (_, index) => `x${index}: 1`);
    expect([200, 401, 413, 431]).toContain(statusOf(await exchange(port, whole(...many, ...odd))));
    expect(statusOf(await exchange(port, whole(...odd)))).toBe(200);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('a host header with an odd name is not believed', async () => {
    const answer = await exchange(port, chat('host: evil.test#@y', 'connection: close', sized) + body);
    expect([200, 400]).toContain(statusOf(answer));
    expect(answer).not.toContain('evil.test');
  });

  it('an upgrade to h2c or a web socket is not made', async () => {
    for (const protocol of ['h2c', 'websocket']) {
      const lines = ['connection: Upgrade', `upgrade: ${protocol}`, 'http2-settings: AAMAAABkAAQAAP__'];
      const answer = await exchange(port, chat('host: x', sized, ...lines) + body, (text) => text.includes('\r\n\r\n'));
      expect(statusOf(answer)).not.toBe(101);
    }
    await expectAlive();
  });

  it('a thousand requests in one go on one connection are all answered, in order', async () => {
    const one = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
    const last = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    const answer = await exchange(port, one.repeat(999) + last);
    expect(answer.split('HTTP/1.1 200 OK')).toHaveLength(1_001);
  });

  it('a body of chunks without end: 413, and cut off in the end', async () => {
    const chunk = Buffer.from(`100000\r\n${'x'.repeat(0x100000)}\r\n`);
    const socket = connect(port, '127.0.0.1');
    let received = '';
    let wake = () => {};
    for (const event of ['drain', 'close', 'error']) socket.on(event, () => wake());
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
    });
    socket.write(chat('host: x', 'transfer-encoding: chunked'));
    let sentMebibytes = 0;
    while (!socket.destroyed && sentMebibytes < 1_000) {
      sentMebibytes += 1;
      if (!socket.write(chunk)) await new Promise((resolve) => (wake = resolve as () => void));
    }
    expect(statusOf(received)).toBe(413);
    expect(sentMebibytes).toBeLessThan(300);
    await expectAlive();
  });

  it('a compressed body is not unpacked: 415', async () => {
    const lines = ['content-encoding: gzip', 'connection: close'];
    const bytes = Buffer.from('H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==', 'base64');
    const head = Buffer.from(chat('host: x', `content-length: ${bytes.length}`, ...lines));
    expect(statusOf(await exchange(port, Buffer.concat([head, bytes])))).toBe(415);
  });

  it('a sender who goes away within its body holds nothing', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    await new Promise<void>((sent) => socket.write(chat('host: x', sized) + body.slice(0, 20), () => sent()));
    socket.resetAndDestroy();
    await expectAlive();
    expect((await app.findWallet(account.accountId)).pending).toBe(0);
  });
});

describe('createHttpServer', () => {
  let server: Server;
  let port: number;
  const open: Socket[] = [];
  const slow = { headMs: 3_000, requestMs: 4_000 };
  beforeEach(async () => {
    const echo = express().use((request, response) => {
      request.on('error', () => {});
      request.resume().on('end', () => response.end('ok'));
    });
    server = createHttpServer(echo, slow);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  it.each([
    ['of its head', 'POST / HTTP/1.1\r\nhost: x\r\nx-slow: '],
    ['of its body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\nx'],
  ])(
    'hundreds who send a byte %s now and then are cut off with 408, and others are served meanwhile',
    async (_, start) => {
      const endings: Promise<string>[] = [];
      for (let count = 0; count < 300; count += 1) {
        const socket = connect(port, '127.0.0.1');
        open.push(socket);
        let received = '';
        socket.on('error', () => {});
        socket.on('data', (piece) => {
          received += piece.toString();
        });
        const drip = setInterval(() => socket.write('x'), 100);
        endings.push(
          new Promise((resolve) =>
            socket.once('close', () => {
              clearInterval(drip);
              resolve(received);
            }),
          ),
        );
        socket.write(start);
      }
      const served = Array.from({ length: 20 }, () => fetch(`http://127.0.0.1:${port}/`).then(({ status }) => status));
      expect(new Set(await Promise.all(served))).toEqual(new Set([200]));
      for (const received of await Promise.all(endings)) expect(received).toMatch(/^(HTTP\/1\.1 408|$)/);
    },
  );

  it('ends although connections are open on which nothing was ever asked', async () => {
    for (let count = 0; count < 10; count += 1) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      open.push(socket);
      await once(socket, 'connect');
    }
    const countOpen = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    await eventually(async () => (await countOpen()) === 10);
    await closeHttpServer(server, 3_600_000);
    expect(server.listening).toBe(false);
  });
});
