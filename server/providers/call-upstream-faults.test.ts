import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { mock } from 'node:test';
import { AppError } from '../kernel/app-error.js';
import { eventually } from '../test/eventually.js';
import { FakeUpstream } from '../test/fake-upstream.js';
import { FakeUpstreamCaller, generousTimeouts, readAll, targetAt, textOf } from '../test/fake-upstream-caller.js';
import { closeServer, listenLocally, urlOf } from '../test/local-server.js';
import { pullEvents } from '../test/pull-events.js';
import { standStill } from '../test/tick-awake.js';
import { HttpExchange } from './http-exchange.js';
import { RouteFaultError, TotalTimeError, UnaskedInterimError } from './upstream-error.js';

let caller: FakeUpstreamCaller;

beforeAll(async () => {
  caller = await FakeUpstreamCaller.start();
});
afterEach(() => caller.closeClients());
afterAll(() => caller.close());

describe('UpstreamClient, when the provider fails', () => {
  it.each([
    ['@@status=400', 'provider_rejected'],
    ['@@status=401', 'provider_unavailable'],
    ['@@status=404', 'provider_rejected'],
    ['@@status=429', 'provider_rate_limited'],
    ['@@status=500', 'provider_error'],
    ['@@status=503', 'provider_overloaded'],
    ['@@html', 'provider_error'],
    ['@@bad-json', 'provider_error'],
    ['@@json-error', 'provider_error'],
    ['@@gzip', 'provider_error'],
    ['@@cut-before-body', 'provider_error'],
    ['@@redirect=http://127.0.0.1:9/', 'provider_error'],
  ])('answers %s with %s before any event, plain and streamed, in words of its own', async (verb, code) => {
    for (const stream of [false, true]) {
      const { events, error } = await readAll(pullEvents(caller.createClient(), caller.callOf(verb, { stream })));
      expect(events).toEqual([]);
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ code, metadata: { provider: 'openai' } });
      const shown = JSON.stringify([error?.message, error?.param, error?.metadata]);
      expect(shown).not.toMatch(/canary|Tollgate123|internal|127\.0\.0\.1|upstream\.example/);
    }
  });

  it('passes the wish to wait on', async () => {
    const { error } = await readAll(pullEvents(caller.createClient(), caller.callOf('@@status=429 @@retry-after=7')));
    expect(error?.retryAfterMs).toBe(7_000);
  });

  it('passes the wish to wait until a date on, up to a minute', async () => {
    for (const [seconds, waitMs] of [
      [20, 20_000],
      [86_400, 60_000],
    ] as const) {
      const server = createHttpServer((_request, response) => {
        const now = new Date('2026-11-29T19:00:00Z');
        response.writeHead(429, {
          date: now.toUTCString(),
          'retry-after': new Date(now.getTime() + seconds * 1_000).toUTCString(),
        });
        response.end('{}');
      });
      await listenLocally(server);
      const call = caller.callOf('Hi', { target: targetAt(urlOf(server)) });
      const { error } = await readAll(pullEvents(caller.createClient(), call));
      expect(error).toMatchObject({ code: 'provider_rate_limited', retryAfterMs: waitMs });
      await closeServer(server);
    }
  });

  it('never follows a redirect', async () => {
    const elsewhere = await FakeUpstream.start();
    await readAll(pullEvents(caller.createClient(), caller.callOf(`@@redirect=${elsewhere.baseUrl}/chat/completions`)));
    expect(elsewhere.requests).toEqual([]);
    expect(elsewhere.connectionCount).toBe(0);
    await elsewhere.close();
  });

  it('throws after the pieces that came, when a stream is cut', async () => {
    for (let pieces = 1; pieces <= 3; pieces += 1) {
      const { events, error } = await readAll(
        pullEvents(caller.createClient(), caller.callOf(`@@cut=${pieces}`, { stream: true })),
      );
      expect(events).toHaveLength(pieces);
      expect(error).toMatchObject({ code: 'provider_error', message: expect.stringContaining('in the middle') });
    }
  });

  it('gives nothing of a plain answer that is cut', async () => {
    const { events, error } = await readAll(pullEvents(caller.createClient(), caller.callOf('@@cut=1')));
    expect(events).toEqual([]);
    expect(error).toMatchObject({ code: 'provider_error' });
  });

  it('throws on an error inside the stream', async () => {
    const { events, error } = await readAll(
      pullEvents(caller.createClient(), caller.callOf('@@error-event', { stream: true })),
    );
    expect(textOf(events)).toBe('Hello');
    expect(error).toMatchObject({ code: 'provider_error', message: expect.not.stringContaining('Tollgate123') });
  });

  it('throws on a stream that ends cleanly, but without a finish', async () => {
    const { events, error } = await readAll(
      pullEvents(caller.createClient(), caller.callOf('@@no-finish @@no-done', { stream: true })),
    );
    expect(textOf(events)).toBe('Hello from upstream');
    expect(error).toMatchObject({ code: 'provider_error' });
  });

  it('throws when nobody listens', async () => {
    const closed = await FakeUpstream.start();
    const target = targetAt(closed.baseUrl);
    await closed.close();
    const { error } = await readAll(pullEvents(caller.createClient(), caller.callOf('Hi', { target })));
    expect(error).toMatchObject({ code: 'provider_error', message: expect.stringContaining('could not be reached') });
    // Nothing went out, so no request can have caused it.
    expect(error).toBeInstanceOf(RouteFaultError);
    expect(error?.message).not.toContain('127.0.0.1');
  });

  it('throws when the other side does not speak HTTP', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-none\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const target = targetAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { error } = await readAll(pullEvents(caller.createClient(), caller.callOf('Hi', { target })));
    expect(error).toMatchObject({ code: 'provider_error' });
    server.close();
  });
});

describe('UpstreamClient, when the provider says something before its answer', () => {
  const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';

  it.each([
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['101', switching],
  ])('throws on a %s that nobody asked for, and tells the operator of it', async (_, words) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(words));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const target = targetAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    for (const stream of [false, true]) {
      const { events, error } = await readAll(
        pullEvents(caller.createClient(), caller.callOf('Hi', { target, stream })),
      );
      expect(events).toEqual([]);
      expect(error).toBeInstanceOf(UnaskedInterimError);
      expect(error).toMatchObject({
        code: 'provider_error',
        message: expect.stringContaining('an answer that cannot be read'),
        innerReason: 'a 100 or 101 that was not asked for, before its answer',
      });
    }
    server.close();
  });

  it('reads the answer behind a 102', async () => {
    for (const stream of [false, true]) {
      const { error } = await readAll(pullEvents(caller.createClient(), caller.callOf('@@processing', { stream })));
      expect(error).toBeNull();
    }
  });
});

describe('UpstreamClient, its bounds', () => {
  it.each([
    ['no answer at all', '@@stall', { firstByteMs: 80 }],
    ['silence within the answer', '@@stall-mid', { idleMs: 80 }],
    ['a call that takes too long', '@@tokens=1000 @@delay=20', { totalMs: 120 }],
  ])('gives up on %s and closes the connection', async (_name, verb, limit) => {
    const client = caller.createClient({ timeouts: { ...generousTimeouts, ...limit } });
    const { error } = await readAll(pullEvents(client, caller.callOf(verb, { stream: true })));
    expect(error).toMatchObject({ code: 'provider_timeout' });
    expect([error instanceof RouteFaultError, error instanceof TotalTimeError]).toEqual([false, 'totalMs' in limit]);
    expect(await caller.lastRequest?.wasCutOff).toBe(true);
  });

  it.each(['firstByteMs', 'totalMs'])(
    'gives up on no answer that came while this process stood still: %s',
    async (limit) => {
      const answer = {
        id: 'x',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      };
      const server = createHttpServer((_request, response) => {
        standStill(1_000);
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
      });
      await listenLocally(server);
      const client = caller.createClient({ timeouts: { ...generousTimeouts, [limit]: 500 } });
      const call = caller.callOf('Hi', { target: targetAt(urlOf(server)), stream: false });
      const { error } = await readAll(pullEvents(client, call));
      await closeServer(server);
      expect(error).toBeNull();
    },
  );

  it.each([
    ['nothing', ''],
    ['a part of them', '{"error":{"message":"Slow down'],
    ['a little again and again', null],
  ])('waits for the words of a refusal for a short time, of which comes %s', async (_name, words) => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).resume();
      socket.write(`HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 9000\r\n\r\n${words ?? ''}`);
      const dripping = setInterval(() => words ?? socket.write(' '), 20);
      socket.once('close', () => clearInterval(dripping));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const target = targetAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const client = caller.createClient({ refusalMsMax: 200 });
    const begunMs = performance.now();
    const { error } = await readAll(pullEvents(client, caller.callOf('Hi', { target })));
    expect(error).toMatchObject({ code: 'provider_rate_limited', retryAfterMs: 7_000 });
    expect(performance.now() - begunMs).toBeLessThan(2_000);
    server.close();
  });

  it('gives up on a connection that does not come about', async () => {
    // It accepts, but never answers the greeting of TLS.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const target = targetAt(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const client = caller.createClient({ timeouts: { ...generousTimeouts, connectMs: 80 } });
    const { error } = await readAll(pullEvents(client, caller.callOf('Hi', { target })));
    expect(error).toMatchObject({ code: 'provider_timeout', message: expect.stringContaining('took too long') });
    expect(error).toBeInstanceOf(RouteFaultError);
    server.close();
  });

  it('reads no body and no event beyond its bounds', async () => {
    const limits = { bodyBytesMax: 1_000, eventBytesMax: 1_000 };
    for (const stream of [false, true]) {
      const { events, error } = await readAll(
        pullEvents(caller.createClient(limits), caller.callOf('@@big=200000', { stream })),
      );
      expect(events).toEqual([]);
      expect(error).toMatchObject({ code: 'provider_error' });
    }
  });

  it('reads an event of megabytes within its bounds', async () => {
    const { events } = await readAll(
      pullEvents(caller.createClient(), caller.callOf('@@big=5000000', { stream: true })),
    );
    expect(textOf(events)).toHaveLength(5_000_000);
  });

  it('reads what has come at once, however small the pieces are in which it was sent', async () => {
    const content = 'x'.repeat(50_000);
    const message = { role: 'assistant', content };
    const answer = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
    const chunks = Array.from(answer, (byte) => `1\r\n${byte}\r\n`).join('');
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const target = targetAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const read = mock.method(HttpExchange.prototype, 'read');
    const { events } = await readAll(pullEvents(caller.createClient(), caller.callOf('Hi', { target })));
    expect(textOf(events)).toBe(content);
    expect(read.mock.callCount()).toBeLessThan(5_000);
    read.mock.restore();
    server.close();
  });

  it('holds the provider back while its reader is slow', async () => {
    // 40 MB of answer, of which the reader takes one piece: were it not held back, the upstream would soon be done.
    const calling = pullEvents(caller.createClient(), caller.callOf('@@tokens=200000', { stream: true }));
    await calling.next();
    const outcome = Promise.race([
      caller.lastRequest?.wasCutOff,
      new Promise((resolve) => setTimeout(resolve, 200, 'waiting')),
    ]);
    expect(await outcome).toBe('waiting');
    await calling.return();
    expect(await caller.lastRequest?.wasCutOff).toBe(true);
  });
});

describe('UpstreamClient, when its reader leaves', () => {
  it('breaks the upstream request off when the reader stops', async () => {
    for await (const event of pullEvents(caller.createClient(), caller.callOf('@@stall-mid', { stream: true }))) {
      expect(event.type).toBe('chunk');
      break;
    }
    expect(await caller.lastRequest?.wasCutOff).toBe(true);
  });

  it('throws the reason of the signal, wherever the call stands', async () => {
    for (const verb of ['@@stall', '@@stall-mid']) {
      for (const stream of [false, true]) {
        const count = caller.upstream.requests.length;
        const controller = new AbortController();
        const reading = readAll(
          pullEvents(caller.createClient(), caller.callOf(verb, { stream, signal: controller.signal })),
        );
        await eventually(() => caller.upstream.requests.length !== count);
        const reason = new Error('the caller has left');
        controller.abort(reason);
        expect((await reading).error).toBe(reason);
        expect(await caller.lastRequest?.wasCutOff).toBe(true);
      }
    }
  });

  it('sends nothing for a signal that was aborted before', async () => {
    const count = caller.upstream.requests.length;
    const { error } = await readAll(
      pullEvents(caller.createClient(), caller.callOf('Hi', { signal: AbortSignal.abort(new Error('gone')) })),
    );
    expect(error?.message).toBe('gone');
    expect(caller.upstream.requests.length).toBe(count);
  });

  it('never sends a call that was given up while it waited for a connection', async () => {
    const client = caller.createClient({ connectionsPerOriginMax: 1 });
    const running = pullEvents(client, caller.callOf('@@stall-mid', { stream: true }));
    await running.next();
    const controller = new AbortController();
    const waiting = readAll(pullEvents(client, caller.callOf('must not be sent', { signal: controller.signal })));
    controller.abort(new Error('gone'));
    expect((await waiting).error?.message).toBe('gone');
    await running.return();
    await readAll(pullEvents(client, caller.callOf('Hi')));
    expect(caller.upstream.requests.some(({ text }) => text.includes('must not be sent'))).toBe(false);
  });

  it('breaks off what still runs when it is closed', async () => {
    const client = caller.createClient();
    const calling = pullEvents(client, caller.callOf('@@stall-mid', { stream: true }));
    await calling.next();
    const rest = readAll(calling);
    await client.close();
    expect((await rest).error).toMatchObject({ code: 'provider_error' });
  });
});
