import { type TestAccount, TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

const ask = (content: string, more: object = {}) => ({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content }],
  max_tokens: 100,
  ...more,
});
// A third of the prompt's bound, 64 + 16 + 5 bytes, and the cap.
const estimate = 29 + 100;
// What the fake upstream reports for its three pieces.
const used = 14;

describeOnEachDatabase('Tokens per minute', (openTestDatabase) => {
  let app: TestApp;
  let account: TestAccount;
  beforeEach(async () => {
    app = await TestApp.start(await openTestDatabase(), {
      TOKENS_PER_MINUTE: '3000',
      KEY_TOKENS_PER_MINUTE: '2000',
      KEY_CONCURRENT_CALLS: '2',
    });
    account = await app.createAccount(5);
  });
  afterEach(() => app.close());

  const call = async (body: object) => {
    const response = await app.call(account.secret, body);
    const text = await response.text();
    const told = (name: string) => response.headers.get(`x-ratelimit-${name}-tokens`);
    return { response, text, limit: told('limit'), remaining: Number(told('remaining')), reset: told('reset') };
  };

  it.each([false, true])('are taken by an estimate and corrected to what was used; streamed: %s', async (stream) => {
    const first = await call(ask('Hello', { stream }));
    expect(first).toMatchObject({ limit: '2000', remaining: 2_000 - estimate });
    expect(first.reset).toMatch(/^(60s|1m1s)$/);
    expect((await call(ask('Hello', { stream }))).remaining).toBe(2_000 - used - estimate);
    expect((await call(ask('@@status=500'))).response.status).toBe(502);
    expect((await call(ask('Hello', { stream }))).remaining).toBe(2_000 - 2 * used - estimate);
  });

  it('that are used up refuse the call with the time to wait, send nothing and charge nothing', async () => {
    const long = 'x'.repeat(1_600);
    expect((await call(ask(`@@usage=1550,10 ${long}`))).response.status).toBe(200);
    const sent = app.upstream.requests.length;
    const refused = await call(ask('Hello', { max_tokens: 600 }));
    expect([refused.response.status, refused.limit, refused.remaining]).toEqual([429, '2000', 440]);
    expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { type: 'requests', code: 'rate_limit_exceeded' } });
    expect(refused.text).toContain('This API key may use 2000 tokens per minute; 1560 are used');
    expect(app.upstream.requests.length).toBe(sent);
    expect((await call(ask('Hello'))).remaining).toBe(440 - estimate);
  });

  it('that no minute has refuse the call for good: 413', async () => {
    const refused = await call(ask('Hello', { max_tokens: 1_980 }));
    expect([refused.response.status, JSON.parse(refused.text).error.code]).toEqual([413, 'request_too_large']);
    expect((await call(ask('Hello'))).remaining).toBe(2_000 - estimate);
  });

  it('are not taken by an answer that is given again', async () => {
    const again = () => app.call(account.secret, ask('Hello'), '', { 'idempotency-key': 'tokens' });
    await (await again()).text();
    expect((await again()).headers.get('x-ratelimit-limit-tokens')).toBeNull();
    expect((await call(ask('Hello'))).remaining).toBe(2_000 - used - estimate);
  });

  it('and all other limits are told by GET /key', async () => {
    const headers = { authorization: `Bearer ${account.secret}` };
    const { data } = (await (await fetch(`${app.proxyUrl}/key`, { headers })).json()) as { data: object };
    expect(data).toMatchObject({
      limits: {
        requests_per_minute: 100_000,
        tokens_per_minute: 2_000,
        concurrent_calls: 2,
        account: { requests_per_minute: 100_000, tokens_per_minute: 3_000, concurrent_calls: 100_000 },
      },
    });
  });

  it('leave a key room for two calls at once and no more, where a setting says so', async () => {
    const leaving = new AbortController();
    const running = [1, 2].map(() =>
      fetch(`${app.proxyUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${account.secret}` },
        body: JSON.stringify(ask('@@stall', { stream: true })),
        signal: leaving.signal,
      }).catch(() => null),
    );
    while (app.upstream.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const refused = await call(ask('Hello'));
    expect(refused.response.status).toBe(429);
    expect(refused.text).toContain('This API key already has 2 calls running.');
    leaving.abort();
    await Promise.all(running);
    await app.waitUntilSettled(account.accountId);
    for (;;) {
      const { status } = (await call(ask('Hello'))).response;
      if (status === 200) break;
      expect(status).toBe(429);
    }
  });
});

describeOnEachDatabase('Tokens per minute that nobody set', (openTestDatabase) => {
  it('are neither limited nor told', async () => {
    const app = await TestApp.start(await openTestDatabase());
    const { secret } = await app.createAccount(5);
    const response = await app.call(secret, ask('Hello'));
    expect(response.headers.get('x-ratelimit-limit-tokens')).toBeNull();
    const headers = { authorization: `Bearer ${secret}` };
    const { data } = (await (await fetch(`${app.proxyUrl}/key`, { headers })).json()) as { data: object };
    expect(data).toMatchObject({ limits: { tokens_per_minute: null, concurrent_calls: null } });
    await app.close();
  });
});
