import { connect } from 'node:net';
import type { TestAccount, TestApp } from '../test/create-test-app.js';
import { openSqliteDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { DoubleShop } from '../test/stripe-double-shop.js';

const metricsToken = 'a-token-for-metrics-of-a-test';
const subscription = JSON.stringify({ query: 'subscription { balance { available } }' });

describe('Requests behind an unfinished answer of their connection', () => {
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
  /** Sends requests in one go. @returns what came back, and what breaks the connection. */
  const send = (...requests: string[]) => {
    const came = { text: '', isClosed: false, leave: () => void socket.resetAndDestroy() };
    const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1').on('error', () => {});
    socket.on('data', (piece) => {
      came.text += piece.toString('latin1');
    });
    socket.on('close', () => {
      came.isClosed = true;
    });
    socket.write(requests.join(''));
    return came;
  };
  const endless = () => request('/graphql/stream', { token: first.sessionToken, body: subscription });
  const readMetrics = async () => {
    const response = await fetch(`${app.baseUrl}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } });
    return response.text();
  };
  const chat = (content: string) => {
    const messages = [{ role: 'user', content }];
    const body = JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages });
    return request('/v1/chat/completions', { token: account.secret, body });
  };

  it.each(['/graphql', '/webhooks/stripe', '/keys/leaked'])(
    'take no room for their bodies before their turn, nor afterwards when the connection breaks: %s',
    async (path) => {
      const came = send(endless(), request(path, { body: '{', length: 100_000 }));
      await eventually(() => came.text.includes('available'));
      expect(await readMetrics()).toContain('tollgate_body_bytes 0\n');
      came.leave();
      await eventually(() => came.isClosed);
      expect(await readMetrics()).toContain('tollgate_body_bytes 0\n');
    },
  );

  it('are calls that hold nothing and go nowhere before their turn, and never when the connection breaks', async () => {
    const before = app.upstream.requests.length;
    const came = send(endless(), chat('Hello'));
    await eventually(() => came.text.includes('available'));
    expect((await app.findWallet(account.accountId)).pending).toBe(0);
    came.leave();
    await eventually(() => came.isClosed);
    for (let count = 0; count < 5; count += 1) await readMetrics();
    await app.waitUntilSettled(account.accountId);
    expect(app.upstream.requests).toHaveLength(before);
  });

  it('are calls of which each begins once the stream before it has ended, and each is billed', async () => {
    const before = app.upstream.requests.length;
    const { posted } = await app.findWallet(account.accountId);
    const came = send(chat('@@words=30 @@delay=10'), chat('Hello'), chat('Hello'));
    const countEnds = () => came.text.split('[DONE]').length - 1;
    for (let ended = 0; ended < 2; ended += 1) {
      await eventually(() => app.upstream.requests.length > before + ended + 1);
      expect(countEnds()).toBeGreaterThanOrEqual(ended);
    }
    await eventually(() => countEnds() === 3);
    came.leave();
    await app.waitUntilSettled(account.accountId);
    const receipts = await app.query(`SELECT outcome FROM call_record WHERE account_id = '${account.accountId}'`);
    expect(receipts.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    expect((await app.findWallet(account.accountId)).posted).toBeLessThan(posted);
  });
});
