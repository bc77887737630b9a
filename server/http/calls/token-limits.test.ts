import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';

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
  const app = TestApp.forEach(openTestDatabase, {
    TOKENS_PER_MINUTE: '3000',
    KEY_TOKENS_PER_MINUTE: '2000',
    KEY_CONCURRENT_CALLS: '2',
  });
  const account = app.accountForEach(5);

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
      app
        .call(account.secret, ask('@@stall', { stream: true }), '/chat/completions', {}, leaving.signal)
        .catch(() => null),
    );
    await eventually(() => app.upstream.requests.length >= 2);
    const refused = await call(ask('Hello'));
    expect(refused.response.status).toBe(429);
    expect(refused.text).toContain('This API key already has 2 calls running.');
    leaving.abort();
    await Promise.all(running);
    await app.waitUntilSettled(account.accountId);
    await eventually(async () => {
      const { status } = (await call(ask('Hello'))).response;
      if (status !== 200) expect(status).toBe(429);
      return status === 200;
    });
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

describeOnEachDatabase('Tokens per minute of a key itself', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase, { TOKENS_PER_MINUTE: '3000', KEY_TOKENS_PER_MINUTE: '2000' });

  const limitKey = async ({ sessionToken }: { sessionToken: string }, tokensPerMinute: number | null) => {
    const { apiKeys } = await app.graphql<{ apiKeys: [{ id: string }] }>('{ apiKeys { id } }', {}, sessionToken);
    const { updateApiKey } = await app.graphql<{ updateApiKey: { tokensPerMinute: number | null } }>(
      'mutation ($id: ID!, $input: ApiKeyInput!) { updateApiKey(id: $id, input: $input) { tokensPerMinute } }',
      { id: apiKeys[0].id, input: { name: 'limited', tokensPerMinute } },
      sessionToken,
    );
    return updateApiKey.tokensPerMinute;
  };

  it('hold below what every key may, and are told by GET /key', async () => {
    const account = await app.createAccount(5);
    const limitOfCall = async () =>
      (await app.call(account.secret, ask('Hello'))).headers.get('x-ratelimit-limit-tokens');
    expect(await limitOfCall()).toBe('2000');
    expect(await limitKey(account, 500)).toBe(500);
    // What this process remembers of a key is renewed by the first call that meets the change.
    await limitOfCall();
    expect(await limitOfCall()).toBe('500');
    const refused = await app.call(account.secret, ask('Hello', { max_tokens: 490 }));
    expect(refused.status).toBe(413);
    const headers = { authorization: `Bearer ${account.secret}` };
    const { data } = (await (await fetch(`${app.proxyUrl}/key`, { headers })).json()) as { data: object };
    expect(data).toMatchObject({ limits: { tokens_per_minute: 500, account: { tokens_per_minute: 3_000 } } });
    expect(await limitKey(account, null)).toBeNull();
    await limitOfCall();
    expect(await limitOfCall()).toBe('2000');
  });

  it('are at least one and at most the account’s', async () => {
    const account = await app.createAccount(0);
    for (const rate of [0, -1, 3_001]) await expect(limitKey(account, rate)).rejects.toThrow('1 to 3000 tokens');
    expect(await limitKey(account, 3_000)).toBe(3_000);
  });

  it('hold for the playground as for a key, for each account by itself', async () => {
    const [one, other] = [await app.createAccount(5), await app.createAccount(5)] as const;
    const play = ({ sessionToken }: { sessionToken: string }, more: object = {}) =>
      fetch(`${app.baseUrl}/playground/chat/completions`, {
        method: 'POST',
        headers: { cookie: `sid=${sessionToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(ask(`@@usage=1550,10 ${'x'.repeat(1_600)}`, more)),
      });
    expect((await play(one, { max_tokens: 1_000 })).status).toBe(200);
    await app.waitUntilSettled(one.accountId);
    const refused = await play(one, { max_tokens: 600 });
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('The playground may use')]);
    expect((await play(other, { max_tokens: 600 })).status).toBe(200);
  });
});
