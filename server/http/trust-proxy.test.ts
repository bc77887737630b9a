import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import { loadConfig } from '../config/config.js';
import { silentLogger } from '../kernel/logger.js';
import { createHttpApp } from './create-http-app.js';
import { RequestMetrics } from './health/request-metrics.js';

/** The address that routes see of a caller on this machine who sends this header. */
async function addressSeen(trustProxy: string, forwarded: string): Promise<unknown> {
  const none: RequestHandler = (_request, _response, next) => next();
  const proxy: RequestHandler = (request, response) => void response.json({ ip: request.ip });
  const others = {
    health: none,
    ready: none,
    metrics: none,
    graphql: none,
    playground: none,
    playgroundEstimate: none,
    providerSignIn: none,
  };
  const pages = { exports: none, docs: none, schemaText: none, dashboard: none, mailbox: none, pageFaults: none };
  const routes = { ...others, ...pages, simulatedPay: null };
  const config = loadConfig({ TRUST_PROXY: trustProxy });
  const watchers = { logger: silentLogger, requestMetrics: new RequestMetrics() };
  const app = createHttpApp({ ...routes, proxy, stripeWebhook: null, leakedKeys: null }, { ...config, ...watchers });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const response = await fetch(url, { headers: { 'x-forwarded-for': forwarded, connection: 'close' } });
  const { ip } = (await response.json()) as { ip: unknown };
  await new Promise((resolve) => server.close(resolve));
  return ip;
}

describe('TRUST_PROXY', () => {
  it.each([
    ['', '203.0.113.5', '127.0.0.1'],
    ['0', '203.0.113.5', '127.0.0.1'],
    ['1', '192.0.2.1, 203.0.113.5', '203.0.113.5'],
    ['2', '192.0.2.1, 203.0.113.5', '192.0.2.1'],
    ['127.0.0.0/8', '192.0.2.1, 203.0.113.5', '203.0.113.5'],
    ['127.0.0.1, 203.0.113.0/24', '192.0.2.1, 203.0.113.5', '192.0.2.1'],
    ['::1, 10.0.0.0/8', '192.0.2.1, 203.0.113.5', '127.0.0.1'],
  ])('of %j takes %j from this machine for %s', async (trustProxy, forwarded, address) =>
    expect(await addressSeen(trustProxy, forwarded)).toBe(address),
  );

  it.each(['true', '11', '-1', '1.5', 'loopback', '10.0.0.0/33', '10.0.0.0/8,', '*', 'proxy.example.com'])(
    'is refused as %j',
    (trustProxy) => expect(() => loadConfig({ TRUST_PROXY: trustProxy })).toThrow(/TRUST_PROXY/),
  );
});
