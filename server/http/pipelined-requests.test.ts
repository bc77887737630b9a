import { connect } from 'node:net';
import type { TestAccount, TestApp } from '../test/create-test-app.js';
import { openSqliteDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { DoubleShop } from '../test/stripe-double-shop.js';

const metricsToken = 'a-token-for-metrics-of-a-test';
const subscription = JSON.stringify({ query: 'subscription { balance { available } }' });

describe('A connection that breaks with requests behind an unfinished answer', () => {
  let shop: DoubleShop;
  let app: TestApp;
  let first: TestAccount;
  let account: TestAccount;
  beforeAll(async () => {
    shop = await DoubleShop.open(await openSqliteDatabase(), {
      METRICS_TOKEN: metricsToken,
      SECRET_SCANNING_KEYS_URL: 'http://127.0.0.1:9/keys',
    });
    app = shop.app;
    first = await app.createAccount(0);
    account = await app.createAccount(0);
    await app.setBalance(account.accountId, 5_000_000);
  });
  afterAll(() => shop.close());

  const request = (
    path: string,
    { token = '', body = '', length }: { token?: string; body?: string; length?: number },
  ) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${length ?? body.length}\r\n\r\n${body}`;
  /** Sends a request behind one whose answer does not end. @returns what breaks the connection. */
  const sendBehind = (bytes: string) => {
    const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1').on('error', () => {});
    socket.write(request('/graphql/stream', { token: first.sessionToken, body: subscription }) + bytes);
    return () => void socket.resetAndDestroy();
  };
  /** The sum of all lines that begin so. */
  const readMetric = async (start: string) => {
    const response = await fetch(`${app.baseUrl}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
    const lines = (await response.text()).split('\n').filter((line) => line.startsWith(start));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  };

  it.each([
    ['graphql', '/graphql'],
    ['stripe_webhook', '/webhooks/stripe'],
    ['leaked_keys', '/keys/leaked'],
  ])('gives back the room of their bodies, and counts them: %s', async (route, path) => {
    const counter = `tollgate_requests_total{route="${route}"`;
    const before = await readMetric(counter);
    const leave = sendBehind(request(path, { body: '{', length: 100_000 }));
    await eventually(async () => (await readMetric('tollgate_body_bytes')) === 100_000);
    leave();
    await eventually(async () => (await readMetric('tollgate_body_bytes')) === 0);
    await eventually(async () => (await readMetric(counter)) > before);
  });

  it('leaves their calls, and gives back what they hold', async () => {
    const messages = [{ role: 'user', content: '@@words=5000 @@delay=20' }];
    const body = JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages });
    const leave = sendBehind(request('/v1/chat/completions', { token: account.secret, body }));
    await eventually(() => app.upstream.requests.length === 1);
    expect((await app.findWallet(account.accountId)).pending).toBeGreaterThan(0);
    leave();
    expect(await app.upstream.requests[0]?.wasCutOff).toBe(true);
    await app.waitUntilSettled(account.accountId);
  });
});
