import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { loadConfig } from '../config/config.js';
import { type Logger, silentLogger } from '../kernel/logger.js';
import { createHttpApp } from './create-http-app.js';
import { createHttpServer } from './create-http-server.js';
import { RequestMetrics } from './health/request-metrics.js';
import { serveUpgrades } from './serve-upgrades.js';

type SentHeaders = Readonly<Record<string, string | string[]>>;

/** The addresses that routes see of a caller on this machine, one for each of these sets of headers; the status where none is asked. */
async function addressesSeen(
  trustProxy: string,
  sent: readonly SentHeaders[],
  logger: Logger = silentLogger,
): Promise<unknown[]> {
  const none: RequestHandler = (_request, _response, next) => next();
  const proxy: RequestHandler = (asked, response) => void response.set('x-seen', asked.ip).end();
  const others = {
    health: none,
    ready: none,
    metrics: none,
    graphql: none,
    playground: none,
    playgroundEstimate: none,
    providerSignIn: none,
  };
  const pages = {
    ...{ exports: none, docs: none, schemaText: none, mailbox: none },
    ...{ siteFiles: none, dashboard: none, pageFaults: none },
  };
  const routes = { ...others, ...pages, simulatedPay: null };
  const config = loadConfig({ TRUST_PROXY: trustProxy });
  const watchers = { logger, requestMetrics: new RequestMetrics() };
  const app = createHttpApp({ ...routes, proxy, stripeWebhook: null, leakedKeys: null }, { ...config, ...watchers });
  const server = serveUpgrades(createHttpServer(app), '/graphql', (asked, socket) =>
    socket.end(`HTTP/1.1 403 Forbidden\r\nx-seen: ${asked.ip}\r\nconnection: close\r\n\r\n`),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const seen: unknown[] = [];
  for (const headers of sent) {
    const answer = await ask(port, headers);
    seen.push(answer.headers['x-seen'] ?? answer.statusCode);
  }
  await new Promise((resolve) => server.close(resolve));
  return seen;
}

/** Asks with headers as they are, also of one name. */
function ask(port: number, headers: SentHeaders): Promise<IncomingMessage> {
  const path = 'upgrade' in headers ? '/graphql' : '/v1';
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response));
    });
    asked.once('error', reject).end();
  });
}

const forwardedFor = (text: string | string[]): SentHeaders => ({ 'x-forwarded-for': text });

describe('TRUST_PROXY', () => {
  it.each([
    ['', '203.0.113.5', '127.0.0.1'],
    ['0', '203.0.113.5', '127.0.0.1'],
    ['1', '192.0.2.1, 203.0.113.5', '203.0.113.5'],
    ['2', '192.0.2.1, 203.0.113.5', '192.0.2.1'],
    ['127.0.0.0/8', '192.0.2.1, 203.0.113.5', '203.0.113.5'],
    ['127.0.0.1, 203.0.113.0/24', '192.0.2.1, 203.0.113.5', '192.0.2.1'],
    ['::1, 10.0.0.0/8', '192.0.2.1, 203.0.113.5', '127.0.0.1'],
    ['1', '', '127.0.0.1'],
    ['3', '192.0.2.1, 203.0.113.5', '192.0.2.1'],
    ['127.0.0.1, 203.0.113.0/24', '192.0.2.1:50001, 203.0.113.5:443', '192.0.2.1'],
    ['2', '192.0.2.1:50001, unknown', '192.0.2.1'],
  ])('of %j takes %j from this machine for %s', async (trustProxy, forwarded, address) =>
    expect(await addressesSeen(trustProxy, [forwardedFor(forwarded)])).toEqual([address]),
  );

  it.each([
    ['203.0.113.9:20001', '203.0.113.9'],
    ['"203.0.113.9:20001"', '203.0.113.9'],
    ['192.0.2.1:1,203.0.113.9:20001', '203.0.113.9'],
    ['192.0.2.1 ,\t 203.0.113.9 ', '203.0.113.9'],
    ['192.0.2.1, 203.0.113.9, , ', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:20001', '203.0.113.9'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['"[2001:db8::1]:443"', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
  ])('reads the address in %j as %s, over HTTP and for a WebSocket', async (forwarded, address) => {
    const sent = forwardedFor(forwarded);
    const upgrade = { ...sent, connection: 'upgrade', upgrade: 'websocket' };
    expect(await addressesSeen('1', [sent, upgrade])).toEqual([address, address]);
  });

  it('reads several headers as one, in their order', async () => {
    expect(await addressesSeen('1', [forwardedFor(['192.0.2.1', '203.0.113.9:20001'])])).toEqual(['203.0.113.9']);
    expect(await addressesSeen('2', [forwardedFor(['192.0.2.1:7', '203.0.113.9:20001'])])).toEqual(['192.0.2.1']);
  });

  it('takes whatever is no address for one and the same, and tells the operator once', async () => {
    const texts = ['unknown', '_hidden', 'nonsense', '203.0.113.9:port', '203.0.113.999', '203.0.113.9:1:2', '[', '""'];
    const lines: unknown[] = [];
    const logger = { ...silentLogger, warn: (event: string) => void lines.push(event) };
    const seen = await addressesSeen('1', texts.map(forwardedFor), logger);
    expect(new Set(seen)).toEqual(new Set(['unknown']));
    expect(lines).toEqual(['caller_address_unknown']);
  });

  it('believes no caller where the header of the proxy may be behind those that Node keeps', async () => {
    const names = Array.from({ length: 120 }, (_, index) => [`x-more-${index}`, '1'] as const);
    const sent = { host: 'localhost', 'x-forwarded-for': '198.51.100.4', ...Object.fromEntries(names) };
    // Node.js 22.23 and later refuse such a request.
    const refused = 431;
    expect([['unknown'], [refused]]).toContainEqual(await addressesSeen('1', [sent]));
    expect([['127.0.0.1'], [refused]]).toContainEqual(await addressesSeen('0', [sent]));
  });

  it.each(['true', '11', '-1', '1.5', 'loopback', '10.0.0.0/33', '10.0.0.0/8,', '*', 'proxy.example.com'])(
    'is refused as %j',
    (trustProxy) => expect(() => loadConfig({ TRUST_PROXY: trustProxy })).toThrow(/TRUST_PROXY/),
  );
});
