import OpenAI from 'openai';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const hello = (model = 'gpt-4o-mini', text = 'Hello') => ({ model, messages: [{ role: 'user', content: text }] });

describeOnEachDatabase('POST /api/proxy.php', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(5);

  const client = (options: { maxRetries?: number } = {}) =>
    new OpenAI({ baseURL: app.proxyUrl, apiKey: account.secret, maxRetries: 0, ...options });
  const chargeOf = (work: () => Promise<unknown>) => app.chargeOf(account, work);

  describe('with the openai package, given only base address and key', () => {
    it.each([
      ['gpt-4o-mini', 1],
      ['gpt-4o', 2],
      ['demo-small', 1],
      ['demo-large', 2],
    ])('charges a plain call of %s exactly its tokens times %i', async (model, price) => {
      let tokens = 0;
      const charged = await chargeOf(async () => {
        const answer = await client().chat.completions.create({
          ...hello(model),
          messages: [{ role: 'user', content: 'Hi' }],
        });
        expect(answer.choices[0]?.message.content).toBeTruthy();
        tokens = (answer.usage?.prompt_tokens ?? 0) + (answer.usage?.completion_tokens ?? 0);
      });
      expect(tokens).toBeGreaterThan(0);
      expect(charged).toBe(tokens * price);
    });

    it.each([
      ['gpt-4o-mini', 1],
      ['gpt-4o', 2],
      ['demo-small', 1],
      ['demo-large', 2],
    ])('charges a streamed call of %s exactly its tokens times %i', async (model, price) => {
      let tokens = 0;
      let text = '';
      const charged = await chargeOf(async () => {
        const stream = await client().chat.completions.create({
          model,
          messages: [{ role: 'user', content: 'Hi' }],
          stream: true,
          stream_options: { include_usage: true },
        });
        for await (const chunk of stream) {
          text += chunk.choices[0]?.delta.content ?? '';
          tokens += chunk.usage?.total_tokens ?? 0;
        }
      });
      expect(text).not.toBe('');
      expect(tokens).toBeGreaterThan(0);
      expect(charged).toBe(tokens * price);
    });

    it('is billed before the stream ends, and never sees the provider’s own key or model', async () => {
      const before = await app.findWallet(account.accountId);
      const stream = await client().chat.completions.create({
        ...hello(),
        messages: [{ role: 'user', content: 'Hi' }],
        stream: true,
      });
      for await (const chunk of stream) expect(chunk.model).toBe('gpt-4o-mini');
      const after = await app.findWallet(account.accountId);
      expect(after.pending).toBe(0);
      expect(after.posted).toBeLessThan(before.posted);
    });
  });

  it('tells on every answer what it cost, what is left and who answered for the limit', async () => {
    const response = await app.call(account.secret, hello());
    const body = (await response.json()) as { usage: { credits: number; total_tokens: number } };
    const { posted } = await app.findWallet(account.accountId);
    expect(response.headers.get('x-request-id')).toMatch(/^call_/);
    expect(response.headers.get('x-credits-charged')).toBe((body.usage.total_tokens / 1_000).toFixed(3));
    expect(response.headers.get('x-credits-remaining')).toBe((posted / 1_000).toFixed(3));
    expect(body.usage.credits).toBe(body.usage.total_tokens / 1_000);
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('100000');
  });

  it.each([
    '',
    '/chat/completions',
    '/v1/chat/completions',
    '/chat/completions/chat/completions',
    '//chat/completions/',
  ])('answers at /api/proxy.php%s', async (path) => {
    expect((await app.call(account.secret, hello('demo-small'), path)).status).toBe(200);
  });

  describe('when the provider fails, the call is free unless something was delivered', () => {
    it.each([
      ['@@status=500', 502, 'provider_error'],
      ['@@status=503', 503, 'provider_overloaded'],
      ['@@status=429', 429, 'provider_rate_limited'],
      ['@@status=401', 503, 'provider_unavailable'],
      ['@@html', 502, 'provider_error'],
      ['@@bad-json', 502, 'provider_error'],
      ['@@json-error', 502, 'provider_error'],
      ['@@cut-before-body', 502, 'provider_error'],
      ['@@cut=1', 502, 'provider_error'],
    ])('plain call, %s: answers %i %s and charges nothing', async (fault, status, code) => {
      const charged = await chargeOf(async () => {
        const response = await app.call(account.secret, hello('gpt-4o-mini', fault));
        const text = await response.text();
        expect(response.status).toBe(status);
        expect(JSON.parse(text)).toMatchObject({ error: { code, param: null } });
        expect(text).not.toMatch(/canary|127\.0\.0\.1|org-/);
      });
      expect(charged).toBe(0);
    });

    it.each(['@@status=500', '@@cut-before-body', '@@html'])(
      'streamed call, %s: answers a status before any event and charges nothing',
      async (fault) => {
        const charged = await chargeOf(async () => {
          const response = await app.call(account.secret, { ...hello('gpt-4o-mini', fault), stream: true });
          expect(response.status).toBe(502);
          await response.text();
        });
        expect(charged).toBe(0);
      },
    );

    it('plain call answered by an event stream: whole and exact; cut in the middle, 502 and free, whatever was counted', async () => {
      const ask = (verbs: string) => app.call(account.secret, hello('gpt-4o-mini', `@@plain-as-stream ${verbs}`));
      const charged = await chargeOf(async () => {
        const response = await ask('@@usage-unasked');
        expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringContaining('json')]);
        expect(await response.json()).toMatchObject({
          object: 'chat.completion',
          choices: [{ message: { role: 'assistant', content: 'Hello from upstream' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 11, completion_tokens: 3 },
        });
      });
      expect(charged).toBe(14);
      const free = await chargeOf(async () => {
        for (const verb of ['@@cut=2', '@@cut=2 @@usage-first', '@@error-event', '@@cut-before-body'])
          expect((await ask(verb)).status).toBe(502);
      });
      expect(free).toBe(0);
    });

    it('streamed call cut in the middle: ends with an error and no [DONE], charges an estimate of what was delivered', async () => {
      const charged = await chargeOf(async () => {
        const response = await app.call(account.secret, { ...hello('gpt-4o-mini', '@@cut=2'), stream: true });
        const text = await response.text();
        expect(text).toContain('"error":{');
        expect(text).not.toContain('[DONE]');
      });
      const [record] = await app.query('SELECT * FROM call_record ORDER BY call_id DESC LIMIT 1');
      expect(record).toMatchObject({ outcome: 'interrupted', usage_source: 'estimated', error_code: 'provider_error' });
      expect(charged).toBe(Number(record?.prompt_tokens) + Number(record?.completion_tokens));
      expect(charged).toBeGreaterThan(0);
    });

    it('whole answer without usage: charges an estimate, marked as one', async () => {
      await app.call(account.secret, hello('gpt-4o-mini', '@@no-usage')).then((response) => response.text());
      const [record] = await app.query('SELECT * FROM call_record ORDER BY call_id DESC LIMIT 1');
      expect(record).toMatchObject({ outcome: 'completed', usage_source: 'estimated' });
    });

    it('usage a little beyond the hold: takes what is there, never below zero, and the operator absorbs the rest', async () => {
      const poor = await app.createAccount(0);
      await app.setBalance(poor.accountId, 200);
      const response = await app.call(poor.secret, { ...hello('gpt-4o-mini', '@@usage=200,70'), max_tokens: 10 });
      expect(response.status).toBe(200);
      expect(await app.findWallet(poor.accountId)).toEqual({ posted: 0, pending: 0 });
      const [record] = await app.query('SELECT * FROM call_record ORDER BY call_id DESC LIMIT 1');
      expect(Number(record?.absorbed_millicredits)).toBe(70);
    });
  });
});

describeOnEachDatabase('POST /api/proxy.php with short time limits', (openTestDatabase) => {
  it('gives up on a silent provider with 504 and charges nothing; on one that falls silent mid-stream it charges what came', async () => {
    const app = await TestApp.start(await openTestDatabase(), {
      UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '200',
      UPSTREAM_IDLE_TIMEOUT_MS: '300',
    });
    const account = await app.createAccount(5);
    const silent = await app.call(account.secret, hello('gpt-4o-mini', '@@stall'));
    expect(silent.status).toBe(504);
    expect(await silent.json()).toMatchObject({ error: { code: 'provider_timeout' } });
    expect(await app.findWallet(account.accountId)).toEqual({ posted: 5_000_000, pending: 0 });

    const halted = await app.call(account.secret, { ...hello('gpt-4o-mini', '@@stall-mid'), stream: true });
    expect(await halted.text()).toMatch(/"error":\{.*provider_timeout/);
    await app.waitUntilSettled(account.accountId);
    expect((await app.findWallet(account.accountId)).posted).toBeLessThan(5_000_000);
    await app.close();
  });

  it('answers 502 when the provider refuses the connection, and charges nothing', async () => {
    const app = await TestApp.start(await openTestDatabase(), { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
    const account = await app.createAccount(5);
    const response = await app.call(account.secret, hello());
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain('127.0.0.1');
    expect(await app.findWallet(account.accountId)).toEqual({ posted: 5_000_000, pending: 0 });
    await app.close();
  });
});
