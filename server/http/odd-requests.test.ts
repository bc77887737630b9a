import { connect } from 'node:net';
import { TestApp } from '../test/create-test-app.js';
import { openSqliteDatabase } from '../test/each-database.js';

/** Sends bytes as they are. @returns all that came back until the other side closed. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (piece) => {
      received += piece.toString('latin1');
    });
    socket.on('error', () => resolve(received));
    socket.on('close', () => resolve(received));
    socket.write(bytes);
  });
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
const looksLikeAStack = /\bat .*(\.js|\.ts|node:)|node_modules|\w+Error: /;

interface Odd {
  readonly method?: string;
  readonly path: string;
  readonly lines?: readonly string[];
  readonly body?: string;
}

const roots = [
  '',
  '/assets',
  '/api/proxy.php',
  '/v1',
  '/v1/models',
  '/v1/calls',
  '/graphql',
  '/graphql/stream',
  '/export',
  '/export/calls.csv',
  '/docs',
  '/schema.graphql',
  '/healthz',
  '/metrics',
  '/openapi.json',
  '/checkout/simulated',
  '/checkout/simulated/x/pay',
  '/webhooks/stripe',
  '/playground/chat/completions',
  '/playground/estimate',
];
const tails = [
  '/none.js',
  '/%zz',
  '/%',
  '/%E0%A4%A',
  '/%00',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/..%5c..%5cetc',
  '//',
  '///x',
  '/%ff%fe/pay',
  '/a%0d%0ab',
  '/?%zz=%zz',
  '?from=%zz&to=%',
  '?__proto__=1&constructor=2',
  '/%F0%9F%92%A9',
  `/${'x'.repeat(8_000)}`,
  '/\\..\\',
  '/.env',
  '/.git/config',
  '/index.html/',
  ';a=b',
];
const latin = '\xe9\xff\x80';
const oddHeaders = [
  'stripe-signature: t=1,v1=',
  'stripe-signature: t=1,v1',
  'stripe-signature: t=,v1=,v1=,',
  'stripe-signature: ,',
  `stripe-signature: t=1,v1=${latin.repeat(21)}x`,
  `stripe-signature: t=${'9'.repeat(400)},v1=${'a'.repeat(64)}`,
  'stripe-signature: t=NaN,v1=__proto__',
  `authorization: Bearer ${latin}`,
  'authorization: Bearer',
  `authorization: ${'x'.repeat(9_000)}`,
  'range: bytes=99999999-',
  'range: bytes=abc',
  'if-none-match: \xff',
  'if-modified-since: never',
  'if-match: "x"',
  'accept-encoding: ;q=\xff, br;q=x',
  'accept: */;q=',
  'content-type: application/json; charset=\xff',
  'content-type: application/json; charset=utf-99',
  'content-type: ;;;',
  'content-encoding: nonsense',
  'cookie: sid=\xff; __Host-sid=%zz; =;;;',
  'origin: http://[',
  'sec-fetch-site: \xff',
  'x-forwarded-for: not an address, \xff, 1.2.3.4.5, ::::',
  `x-forwarded-for: ${'1'.repeat(4_000)}`,
  'x-forwarded-host: [',
  'x-forwarded-proto: \xff://',
  `user-agent: ${latin.repeat(2_000)}`,
  'idempotency-key: \xff\xff',
  `idempotency-key: ${'k'.repeat(5_000)}`,
  'x-tollgate-provider: __proto__',
  `x-tollgate-provider: ${latin}`,
  'access-control-request-headers: \xff, x\ty',
  'last-event-id: \xff',
  'expect: 200-nonsense',
  'host: [',
  'x-http-method-override: %zz',
];

describe.each([
  ['as it is tried out', {}],
  [
    'that sells by Stripe behind a proxy',
    {
      STRIPE_SECRET_KEY: 'sk_test_0123456789abcdef',
      STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdefghij',
      TRUST_PROXY: '1',
      METRICS_TOKEN: 'a-token-of-metrics-0123',
    },
  ],
])('Odd requests to a server %s', (_, settings) => {
  const app = TestApp.forAll(openSqliteDatabase, settings);
  const account = app.accountForAll(0);
  let port: number;

  beforeAll(async () => {
    port = Number(new URL(app.baseUrl).port);
  });

  const ask = async ({ method = 'GET', path, lines = [], body = '' }: Odd): Promise<string> => {
    const hosts = lines.some((line) => line.startsWith('host:')) ? [] : ['host: x'];
    const sized = body === '' ? [] : [`content-length: ${Buffer.byteLength(body, 'latin1')}`];
    const head = [`${method} ${path} HTTP/1.1`, ...hosts, 'connection: close', ...sized, ...lines];
    return exchange(port, Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1'));
  };
  /** What nobody may ever be answered, as one line for each request that was. */
  const findFaults = async (odd: readonly Odd[]): Promise<string[]> => {
    const faults: string[] = [];
    const linesBefore = app.logLines.length;
    for (const request of odd) {
      const answer = await ask(request);
      const status = statusOf(answer);
      const [, content = ''] = answer.split('\r\n\r\n');
      const isHarmless = (status >= 200 && status < 500) || status === 501 || status === 503;
      if (!isHarmless || (status >= 400 && looksLikeAStack.test(content))) {
        faults.push(
          `${request.method ?? 'GET'} ${request.path.slice(0, 60)} ${request.lines ?? ''}: ${answer.slice(0, 300)}`,
        );
      }
    }
    const logged = app.logLines.slice(linesBefore).filter((line) => /request_failed|graphql_failed|"stack"/.test(line));
    return [...faults, ...logged.map((line) => line.slice(0, 600))];
  };

  it('no path, however it is written, is answered with 500 or a stack, and none logs one', async () => {
    const json = ['content-type: application/json'];
    const odd = roots.flatMap((root) =>
      tails.flatMap((tail) => [
        { path: `${root}${tail}` || '/' },
        { method: 'POST', path: `${root}${tail}`, lines: json, body: '{}' },
      ]),
    );
    expect(await findFaults(odd.filter(({ path }) => path.startsWith('/')))).toEqual([]);
  }, 60_000);

  it('no header, on any address, is answered with 500 or a stack, and none logs one', async () => {
    const bearer = `authorization: Bearer ${account.secret}`;
    const signIn = JSON.stringify({
      query: 'mutation { signIn(input: { email: "nobody@example.com", password: "x" }) { sessionToken } }',
    });
    const chat = JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] });
    const odd = oddHeaders.flatMap((line): Odd[] => {
      const json = line.startsWith('content-type') ? [] : ['content-type: application/json'];
      const own = line.startsWith('authorization') ? [line] : [line, bearer];
      return [
        ...['/', '/assets/none.js', '/healthz', '/metrics', '/docs'].map((path) => ({ path, lines: [line] })),
        { path: '/v1/models', lines: own },
        { path: '/export/calls.csv', lines: own },
        { method: 'OPTIONS', path: '/v1/chat/completions', lines: [line] },
        { method: 'POST', path: '/v1/chat/completions', lines: [...own, ...json], body: chat },
        { method: 'POST', path: '/playground/chat/completions', lines: [line, ...json], body: chat },
        { method: 'POST', path: '/graphql', lines: [line, ...json], body: signIn },
        { method: 'POST', path: '/graphql/stream', lines: [line, ...json], body: signIn },
        { method: 'POST', path: '/webhooks/stripe', lines: [line, ...json], body: '{}' },
        { method: 'POST', path: '/checkout/simulated/%zz/pay', lines: [line] },
      ];
    });
    expect(await findFaults(odd)).toEqual([]);
  }, 60_000);

  it('a signed-up session with odd names for its browser and its address is made, and no 500', async () => {
    const odd = oddHeaders
      .filter((line) => /^(user-agent|x-forwarded-for)/.test(line))
      .map((line, index) => ({
        method: 'POST',
        path: '/graphql',
        lines: [line, 'content-type: application/json'],
        body: JSON.stringify({
          query: `mutation { signUp(input: { email: "odd-${index}@example.com", password: "a long enough password" }) { sessionToken } }`,
        }),
      }));
    expect(await findFaults(odd)).toEqual([]);
  });

  it.each(['/assets/none.js', '/assets/', '/assets/a/b.js.br'])('%s, which is not there, is 404', async (path) => {
    expect(statusOf(await ask({ path }))).toBe(404);
  });

  it.each(['/assets/%zz', '/assets/%E0%A4%A'])('%s, which no file can be called, is 400', async (path) => {
    expect(statusOf(await ask({ path }))).toBe(400);
  });

  it('two Host headers are refused with 400, on every address and however they are written', async () => {
    for (const path of ['/', '/healthz', '/v1/models', '/graphql', '/assets/none.js', '/webhooks/stripe']) {
      for (const lines of [
        ['host: x', 'host: x'],
        ['host: x', 'HOST: y'],
        ['Host: x', 'x-a: b', 'hOsT: '],
      ]) {
        expect(statusOf(await ask({ path, lines }))).toBe(400);
      }
    }
    expect(statusOf(await ask({ path: '/healthz', lines: ['host: x'] }))).toBe(200);
  });
});
