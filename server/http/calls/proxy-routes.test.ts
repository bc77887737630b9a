import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { checkPlainAnswer } from '../../test/openai-shape.js';

const call = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };

describeOnEachDatabase('The routes beside the call', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(5);
  const other = app.accountForAll(5);

  const get = (path: string, secret: string | null = account.secret) =>
    fetch(`${app.baseUrl}${path}`, { headers: secret === null ? {} : { authorization: `Bearer ${secret}` } });
  const getJson = async (path: string, secret?: string | null) =>
    (await (await get(path, secret)).json()) as Record<string, unknown>;

  describe('GET …/models', () => {
    it.each(['/api/proxy.php', '/api/proxy.php/v1', '/v1', '/api/v1', '/v1//'])(
      'below %s: OpenAI’s list with OpenRouter’s extras, without a key',
      async (prefix) => {
        const { object, data } = (await getJson(`${prefix}/models`, null)) as { object: string; data: object[] };
        expect(object).toBe('list');
        expect(data).toContainEqual(
          expect.objectContaining({
            id: 'gpt-4o',
            object: 'model',
            created: expect.any(Number),
            owned_by: 'openai',
            context_length: 128_000,
            pricing: { prompt: '0.000002', completion: '0.000002', request: '0', image: '0' },
            top_provider: { context_length: 128_000, max_completion_tokens: 16_384, is_moderated: false },
          }),
        );
      },
    );

    it.each(['gpt-4o-mini', 'openai/gpt-4o-mini', 'openai%2Fgpt-4o-mini'])('finds %s', async (id) => {
      expect(await getJson(`/v1/models/${id}`)).toMatchObject({ id: decodeURIComponent(id), object: 'model' });
    });

    it.each(['gpt-99', '%E0%A4%A', 'a/b/c'])('answers 404 for %s', async (id) => {
      const response = await get(`/v1/models/${id}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'model_not_found', param: 'model' } });
    });

    it('tells a client that tries its key here that the key is wrong', async () => {
      expect((await get('/v1/models', 'sk-tg-wrong')).status).toBe(401);
    });
  });

  it('GET …/credits and …/key add up with what calls were charged', async () => {
    const response = await app.call(account.secret, call);
    const { usage } = (await response.json()) as { usage: { credits: number } };
    const { data } = (await getJson('/api/proxy.php/credits')) as { data: Record<string, number> };
    expect(data.total_credits).toBe(5_000);
    expect(data.total_usage).toBe(usage.credits);
    expect(data.available_credits).toBe(5_000 - usage.credits);
    expect(data.reserved_credits).toBe(0);
    const { data: key } = (await getJson('/v1/key')) as { data: Record<string, unknown> };
    expect(key).toMatchObject({ name: 'test', usage: usage.credits, limit: null, is_free_tier: false });
    expect(key.label).toMatch(/^sk-tg-/);
    expect(key.label).not.toBe(account.secret);
  });

  it('GET …/credits and …/key read the sums of hours, so that a million calls cost no more than one', async () => {
    const usageOf = async (path: string, field: string) => {
      const { data } = (await getJson(path)) as { data: Record<string, number> };
      return data[field] ?? 0;
    };
    const asked = [['/v1/credits', 'total_usage'] as const, ['/v1/key', 'usage'] as const];
    await (await app.call(account.secret, call)).text();
    for (const [path, field] of asked) {
      const before = await usageOf(path, field);
      const add = (millicredits: number) =>
        app.query(
          `UPDATE usage_hour SET charged_millicredits = charged_millicredits + ${millicredits} WHERE account_id = '${account.accountId}'`,
        );
      await add(1_000);
      const after = await usageOf(path, field);
      await add(-1_000);
      expect(after - before).toBeCloseTo(1, 5);
    }
  });

  describe('GET …/calls/{id}', () => {
    it('is the receipt of the call, to its owner alone', async () => {
      const response = await app.call(account.secret, call);
      const answer = (await response.json()) as { id: string; usage: Record<string, number> };
      expect(response.headers.get('x-generation-id')).toBe(answer.id);
      const receipt = await getJson(`/v1/calls/${answer.id}`);
      expect(receipt).toMatchObject({
        id: answer.id,
        model: 'demo-small',
        provider: 'demo',
        outcome: 'completed',
        usage: { total_tokens: answer.usage.total_tokens, source: 'reported' },
        credits_charged: answer.usage.credits,
        credits_after: Number(response.headers.get('x-credits-remaining')),
        attempts: [
          {
            provider: 'demo',
            upstream_model: 'demo-small',
            status: null,
            error_code: null,
            start_ms: expect.any(Number),
            duration_ms: expect.any(Number),
          },
        ],
      });
      expect(Number(receipt.credits_held)).toBeGreaterThan(Number(receipt.credits_charged));
      expect((await get(`/v1/calls/${answer.id}`, other.secret)).status).toBe(404);
      expect((await get('/v1/calls/call_nonsense')).status).toBe(404);
    });

    it('shows a failed call as free', async () => {
      const body = { ...call, model: 'gpt-4o-mini', messages: [{ role: 'user', content: '@@status=500' }] };
      const id = (await app.call(account.secret, body)).headers.get('x-generation-id');
      expect(await getJson(`/v1/calls/${id}`)).toMatchObject({
        outcome: 'failed',
        error_code: 'provider_error',
        credits_charged: 0,
        credits_after: null,
      });
    });
  });

  describe('POST …/estimate', () => {
    it('bounds the call as its hold does, sends nothing and charges nothing', async () => {
      const before = await app.findWallet(other.accountId);
      const body = { ...call, model: 'gpt-4o', max_tokens: 100, n: 2 };
      const response = await app.call(other.secret, body, '/estimate');
      const promptTokensMax = 64 + 16 + 5;
      expect(await response.json()).toEqual({
        object: 'estimate',
        model: 'gpt-4o',
        tier: 'higher',
        prompt_tokens_max: promptTokensMax,
        output_tokens_max: 100,
        choices: 2,
        credits_max: (2 * (promptTokensMax + 200)) / 1_000,
        credits_min_to_begin: (2 * (promptTokensMax + 200)) / 1_000,
        available_credits: 5_000,
        is_affordable: true,
      });
      expect(await app.findWallet(other.accountId)).toEqual(before);
      expect(app.upstream.requests.filter(({ body: sent }) => sent?.n === 2)).toHaveLength(0);
    });

    it('refuses what the call would refuse', async () => {
      expect((await app.call(other.secret, { ...call, model: 'gpt-99' }, '/estimate')).status).toBe(404);
      expect((await app.call(other.secret, { ...call, max_tokens: -1 }, '/estimate')).status).toBe(400);
    });
  });

  it.each(['/chat/completions', '/models', '/credits', '/key', '/estimate', '/calls/call_1'])(
    'a browser may ask %s from anywhere, with the headers that SDKs send',
    async (path) => {
      const response = await fetch(`${app.proxyUrl}${path}`, {
        method: 'OPTIONS',
        headers: { 'access-control-request-headers': 'authorization,x-stainless-lang', origin: 'https://a.test' },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-headers')).toBe('authorization,x-stainless-lang');
    },
  );

  it.each([
    '//v1/chat/completions',
    '//chat/completions',
    '/api//proxy.php/chat/completions',
    '//api/proxy.php//v1//messages',
    '//messages',
  ])('answers a call at %s as if its slashes were single', async (path) => {
    const headers = { authorization: `Bearer ${account.secret}` };
    const body = JSON.stringify({ ...call, max_tokens: 100 });
    const answer = await fetch(`${app.baseUrl}${path}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-request-id')).toMatch(/^call_/);
  });

  it('finds nothing but calls, and what keys may ask, behind doubled slashes', async () => {
    for (const path of ['//metrics', '//graphql', '/api//other'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    expect((await get('//v1//models')).status).toBe(200);
  });

  it.each([call, { ...call, user: 'x'.repeat(100), padding: ' '.repeat(1_100_000) }])(
    'passes over a byte order mark before a body, small or large',
    async (asked) => {
      const headers = { authorization: `Bearer ${account.secret}` };
      const body = `\ufeff${JSON.stringify(asked)}`;
      expect((await fetch(`${app.proxyUrl}/chat/completions`, { method: 'POST', headers, body })).status).toBe(200);
    },
  );

  it('GET /openapi.json says that null may stand for each field of a chat request that may be absent', async () => {
    interface Body {
      readonly properties: Record<string, { anyOf?: object[]; type?: string }>;
      readonly required: readonly string[];
    }
    const { components } = (await getJson('/openapi.json', null)) as { components: { schemas: Record<string, Body> } };
    const { ChatRequest, Message } = components.schemas as { ChatRequest: Body; Message: Body };
    const absentable = ({ properties, required }: Body) =>
      Object.keys(properties).filter((name) => !required.includes(name));
    for (const body of [ChatRequest, Message]) {
      for (const name of absentable(body))
        expect([name, body.properties[name]?.anyOf]).toEqual([name, expect.arrayContaining([{ type: 'null' }])]);
    }
    const nulls = (body: Body) => Object.fromEntries(absentable(body).map((name) => [name, null]));
    const message = { ...nulls(Message), ...call.messages[0] };
    expect((await app.call(account.secret, { ...nulls(ChatRequest), ...call, messages: [message] })).status).toBe(200);
  });

  it('GET /openapi.json says what the name of a model must have, and is right about it', async () => {
    interface Body {
      readonly properties: Record<string, object>;
    }
    const { components, paths } = (await getJson('/openapi.json', null)) as {
      components: { schemas: Record<string, Body> };
      paths: Record<string, { post?: { requestBody: { content: Record<string, { schema: Body }> } } }>;
    };
    const bodies = Object.entries(paths).flatMap(([path, { post }]) => {
      const schema = post?.requestBody.content['application/json']?.schema;
      return schema?.properties ? [[path, schema] as const] : [];
    });
    expect(bodies.map(([path]) => path)).toEqual(
      expect.arrayContaining(['/completions', '/embeddings', '/messages', '/messages/count_tokens', '/responses']),
    );
    for (const { properties } of [components.schemas.ChatRequest as Body, ...bodies.map(([, schema]) => schema)]) {
      expect(properties.model).toMatchObject({ type: 'string', minLength: 1 });
    }
    for (const path of ['/chat/completions', ...bodies.map(([path]) => path)]) {
      const headers = { authorization: `Bearer ${account.secret}` };
      const own = { '/completions': { prompt: 'Hi' }, '/responses': { input: 'Hi' }, '/embeddings': { input: 'Hi' } }[
        path
      ];
      const body = JSON.stringify({ ...(own ?? call), model: '' });
      const refused = await fetch(`${app.proxyUrl}${path}`, { method: 'POST', headers, body });
      const { error } = (await refused.json()) as { error: { message: string } };
      expect([path, refused.status, error.message]).toEqual([path, 400, expect.stringContaining("'model'")]);
    }
  });

  it('GET /openapi.json describes addresses that are there, and every schema that it names', async () => {
    const document = (await getJson('/openapi.json', null)) as {
      paths: Record<string, Record<string, object>>;
      components: { schemas: object };
    };
    expect(await getJson('/api/proxy.php/openapi.json', null)).toEqual(document);
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const method of Object.keys(operations)) {
        const url = `${app.proxyUrl}${path.replace('{id}', 'gpt-4o')}`;
        const response = await fetch(url, { method: method.toUpperCase(), headers: { authorization: 'Bearer x' } });
        expect([path, response.status]).toEqual([path, 401]);
      }
    }
    const named = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([...new Set(named)]));
  });

  it.each(['authorization', 'x-api-key', 'api-key'])('reads the key from %s on every address', async (name) => {
    const send = (path: string, key: string) =>
      fetch(`${app.baseUrl}${path}`, { headers: { [name]: name === 'authorization' ? `Bearer ${key}` : key } });
    const { id } = (await (await app.call(account.secret, call)).json()) as { id: string };
    for (const path of ['/models', '/models/gpt-4o', '/credits', '/key', `/calls/${id}`]) {
      expect([path, (await send(`/v1${path}`, account.secret)).status]).toEqual([path, 200]);
      expect([path, (await send(`/v1${path}`, 'sk-tg-wrong')).status]).toEqual([path, 401]);
    }
    const estimate = { method: 'POST', body: JSON.stringify(call) };
    const key = name === 'authorization' ? `Bearer ${account.secret}` : account.secret;
    const estimated = await fetch(`${app.baseUrl}/v1/estimate`, { ...estimate, headers: { [name]: key } });
    expect(estimated.status).toBe(200);
  });

  it.each(['/credits', '/key', '/calls/call_1'])('%s needs a key', async (path) => {
    expect((await get(`/v1${path}`, null)).status).toBe(401);
  });

  it('every answer carries its id, its time and where the account stands, the refusals too', async () => {
    const answers = [
      await app.call(account.secret, call),
      await app.call(account.secret, '{'),
      await app.call(account.secret, { ...call, model: 'gpt-99' }),
      await app.call(account.secret, { ...call, stream: true }),
      await app.call('sk-tg-wrong', call),
      await get('/v1/credits'),
      await get('/v1/calls/call_1'),
    ];
    for (const { headers } of answers) {
      expect(headers.get('x-request-id')).toMatch(/^call_/);
      expect(headers.get('openai-version')).toBe('2020-10-01');
      expect(headers.get('openai-processing-ms')).toMatch(/^\d+$/);
      for (const name of ['limit', 'remaining', 'reset']) {
        expect(headers.get(`x-ratelimit-${name}-requests`)).toMatch(/^\d+(ms|s)?$/);
      }
    }
    for (const answer of answers) await answer.text();
  });

  it('functions of old come back as function_call, whole and streamed', async () => {
    const messages = [{ role: 'user', content: 'Call get_weather' }];
    const body = { model: 'demo-small', messages, functions: [{ name: 'get_weather' }] };
    const text = await (await app.call(account.secret, body)).text();
    checkPlainAnswer(200, text);
    expect(JSON.parse(text).choices[0]).toMatchObject({
      finish_reason: 'function_call',
      message: { function_call: { name: 'get_weather' } },
    });
    const streamed = await (await app.call(account.secret, { ...body, stream: true })).text();
    expect(streamed).toContain('"function_call":{"name":"get_weather"');
    expect(streamed).toContain('"finish_reason":"function_call"');
  });
});

describeOnEachDatabase('Limits', (openTestDatabase) => {
  it('an account runs so many calls at once and no more; the next one is told to wait a second', async () => {
    const app = await TestApp.start(await openTestDatabase(), { CONCURRENT_CALLS: '2' });
    const account = await app.createAccount(5);
    const other = await app.createAccount(5);
    const leaving = new AbortController();
    const stalled = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: '@@stall' }], stream: true };
    const running = [1, 2].map(() =>
      app.call(account.secret, stalled, '/chat/completions', {}, leaving.signal).catch(() => null),
    );
    await eventually(() => app.upstream.requests.length >= 2);
    const refused = await app.call(account.secret, call);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ error: { type: 'requests', code: 'concurrency_limit_exceeded' } });
    expect((await app.call(other.secret, call)).status).toBe(200);

    leaving.abort();
    await Promise.all(running);
    await app.waitUntilSettled(account.accountId);
    await eventually(async () => {
      const { status } = await app.call(account.secret, call);
      if (status !== 200) expect(status).toBe(429);
      return status === 200;
    });
    await app.close();
  });

  it('an address that keeps coming without a good key is told to wait; a good key from there still passes', async () => {
    const app = await TestApp.start(await openTestDatabase());
    const account = await app.createAccount(5);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 61; attempt += 1) statuses.push((await app.call('sk-tg-wrong', call)).status);
    expect(statuses.slice(0, 60)).toEqual(Array(60).fill(401));
    expect(statuses[60]).toBe(429);
    expect((await app.call(account.secret, call)).status).toBe(200);
    await app.close();
  });

  it('a household that keeps coming without a good key is told to wait, by whichever of its IPv6 addresses it comes', async () => {
    const app = await TestApp.start(await openTestDatabase(), { TRUST_PROXY: '1' });
    const comeFrom = async (address: string) =>
      (await app.call('sk-tg-wrong', call, undefined, { 'x-forwarded-for': address })).status;
    for (let attempt = 0; attempt < 60; attempt += 1) await comeFrom(`2001:db8:0:1${attempt % 10}::${attempt}`);
    expect(await comeFrom('2001:db8:0:1f::ffff')).toBe(429);
    expect(await comeFrom('2001:db8:0:200::1')).toBe(401);
    await app.close();
  });

  it.each([
    [
      'an address whose proxy writes the port of each connection',
      (attempt: number) => `203.0.113.9:${20_000 + attempt}`,
    ],
    ['whoever comes with ever other words for an address', (attempt: number) => `_hidden${attempt}`],
  ])('%s is told to wait as one network', async (_who, nameOf) => {
    const app = await TestApp.start(await openTestDatabase(), { TRUST_PROXY: '1' });
    const comeFrom = async (address: string) =>
      (await app.call('sk-tg-wrong', call, undefined, { 'x-forwarded-for': address })).status;
    for (let attempt = 0; attempt < 60; attempt += 1) expect(await comeFrom(nameOf(attempt))).toBe(401);
    expect(await comeFrom(nameOf(60))).toBe(429);
    expect(await comeFrom('203.0.113.10:20000')).toBe(401);
    await app.close();
  });
});
