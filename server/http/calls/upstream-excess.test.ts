import type { IncomingMessage, ServerResponse } from 'node:http';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase, openSqliteDatabase } from '../../test/each-database.js';
import { LocalServer } from '../../test/local-server.js';

type Answer = (response: ServerResponse) => void;

/** A provider that answers every request as it is told, and counts what it could send. */
class RudeUpstream extends LocalServer {
  bytesSent = 0;
  readonly requests: IncomingMessage[] = [];
  readonly bodies: string[] = [];
  reply: Answer = (response) => response.end();

  override get baseUrl(): string {
    return `${super.baseUrl}/v1`;
  }

  /** Writes the same again and again, as fast as it is read, until so many bytes or until it is broken off. */
  flood(response: ServerResponse, piece: string, bytesMax = Number.POSITIVE_INFINITY): void {
    const bytes = Buffer.from(piece);
    const write = () => {
      while (!response.destroyed && this.bytesSent < bytesMax) {
        this.bytesSent += bytes.length;
        if (!response.write(bytes)) return;
      }
      if (!response.destroyed) response.end();
    };
    response.on('drain', write);
    write();
  }

  protected answer(request: IncomingMessage, response: ServerResponse): void {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      this.requests.push(request);
      this.bodies.push(body);
      this.reply(response);
    });
  }
}

const mebibyte = 1024 * 1024;
const ask = (more: object = {}) => ({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }], ...more });
const eventStream = { 'content-type': 'text/event-stream' };
const toChunk = (delta: object) =>
  `data: ${JSON.stringify({ id: 'u', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;

describeOnEachDatabase('A provider that sends without end', (openTestDatabase) => {
  const upstream = RudeUpstream.forAll();
  const app = TestApp.forAll(openTestDatabase, () => ({ OPENAI_BASE_URL: upstream.baseUrl }));
  const account = app.accountForAll(5);
  beforeEach(() => {
    upstream.bytesSent = 0;
  });

  const call = async (body: object) => {
    const before = await app.findWallet(account.accountId);
    const response = await app.call(account.secret, body);
    const text = await response.text();
    await app.waitUntilSettled(account.accountId);
    return { response, text, charged: before.posted - (await app.findWallet(account.accountId)).posted };
  };

  it('a plain body of 2 GB: read no further than 32 MiB, 502, free', async () => {
    upstream.reply = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      upstream.flood(response, ' '.repeat(mebibyte), 2_048 * mebibyte);
    };
    const { response, charged } = await call(ask());
    expect([response.status, charged]).toEqual([502, 0]);
    expect(upstream.bytesSent).toBeLessThan(64 * mebibyte);
  });

  it('a stream of one line: read no further than 10 MiB, 502, free', async () => {
    upstream.reply = (response) => {
      response.writeHead(200, eventStream).write('data: ');
      upstream.flood(response, 'x'.repeat(mebibyte), 2_048 * mebibyte);
    };
    const { response, charged } = await call(ask({ stream: true }));
    expect([response.status, charged]).toEqual([502, 0]);
    expect(upstream.bytesSent).toBeLessThan(64 * mebibyte);
  });

  it('a refusal of 2 GB: its status is answered, the body is not read', async () => {
    upstream.reply = (response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      upstream.flood(response, ' '.repeat(mebibyte), 2_048 * mebibyte);
    };
    expect((await call(ask())).response.status).toBe(502);
    expect(upstream.bytesSent).toBeLessThan(64 * mebibyte);
  });

  it('a stream of more tool calls than any answer has: charged for what was reasoned before them, too', async () => {
    const details = { completion_tokens_details: { reasoning_tokens: 990 } };
    const usage = { prompt_tokens: 9, completion_tokens: 1_000, ...details };
    upstream.reply = (response) => {
      const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
      // In less time no model writes so much, and what it seems to be is not believed.
      setTimeout(() => response.end(JSON.stringify({ choices, usage })), 1_100);
    };
    await Promise.all(Array.from({ length: 5 }, () => call(ask({ max_tokens: 2_000 }))));
    const toToolCall = (index: number) => ({ index, id: `c${index}`, function: { name: 'f', arguments: '{}' } });
    upstream.reply = (response) => {
      response.writeHead(200, eventStream).flushHeaders();
      setTimeout(() => response.write(toChunk({ tool_calls: [toToolCall(0)] })), 300);
      setTimeout(() => {
        for (let index = 1; index < 1_030; index += 1) response.write(toChunk({ tool_calls: [toToolCall(index)] }));
      }, 600);
    };
    const { text } = await call(ask({ stream: true, max_tokens: 20_000 }));
    expect(text).toContain('"code":"model_error"');
    expect(text).toContain('made too many tool calls');
    const [receipt] = await app.query('SELECT * FROM call_record ORDER BY call_id DESC LIMIT 1');
    expect(receipt).toMatchObject({ outcome: 'interrupted', usage_source: 'estimated' });
    expect(JSON.parse(String(receipt?.estimate_parts)).reasoningTokens).toBeGreaterThan(0);
  });

  it('a stream of text without end: cut at the output cap, charged for it', async () => {
    upstream.reply = (response) => {
      response.writeHead(200, eventStream);
      upstream.flood(response, toChunk({ content: ' word' }).repeat(50));
    };
    const { text, charged } = await call(ask({ stream: true, max_tokens: 50 }));
    expect(text).toContain('"finish_reason":"length"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(charged).toBeGreaterThan(50);
    expect(charged).toBeLessThan(50 + 100);
    expect(upstream.bytesSent).toBeLessThan(64 * mebibyte);
  });
});

describeOnEachDatabase('A provider that sends nothing of worth without end', (openTestDatabase) => {
  const upstream = RudeUpstream.forAll();
  const app = TestApp.forAll(openTestDatabase, () => ({
    OPENAI_BASE_URL: upstream.baseUrl,
    UPSTREAM_TOTAL_TIMEOUT_MS: '3000',
  }));
  const account = app.accountForAll(5);

  it.each([
    ['comments', ': ping\n\n'],
    ['pieces without text', toChunk({ content: '' })],
  ])('a stream of nothing but %s: ended at the time limit of a call, free', async (_, piece) => {
    upstream.reply = (response) => {
      response.writeHead(200, eventStream);
      const drip = setInterval(() => response.write(piece), 20);
      response.on('close', () => clearInterval(drip));
    };
    const charged = await app.chargeOf(account, async () => {
      const response = await app.call(account.secret, ask({ stream: true }));
      expect(await response.text()).toContain('provider_timeout');
    });
    expect(charged).toBe(0);
  });
});

describe('What crosses between caller and provider', () => {
  const upstream = RudeUpstream.forAll();
  const app = TestApp.forAll(openSqliteDatabase, () => ({ OPENAI_BASE_URL: upstream.baseUrl }));
  const account = app.accountForAll(5);

  const canaries = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, `canary-of-${name}`]));
  const upstreamCanaries = canaries([
    'set-cookie',
    'openai-organization',
    'openai-project',
    'cf-ray',
    'server',
    'via',
    'alt-svc',
    'x-ratelimit-limit-requests',
    'x-ratelimit-remaining-tokens',
    'x-request-id',
    'access-control-allow-credentials',
    'location',
    'www-authenticate',
    'x-should-retry',
  ]);
  const completion = {
    id: 'u',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 1 },
  };

  it.each([
    ['a plain answer', 200, {}],
    ['a stream', 200, { stream: true }],
    ['a refusal', 429, {}],
    ['a refusal of our key', 401, {}],
  ])('of %s’s headers, none reaches the caller', async (_, status, more) => {
    upstream.reply = (response) => {
      const type = 'stream' in more ? 'text/event-stream' : 'application/json';
      response.writeHead(status, { ...upstreamCanaries, 'content-type': type });
      if ('stream' in more) {
        const choices = [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }];
        response.end(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`);
      } else response.end(JSON.stringify(status === 200 ? completion : { error: { message: 'canary' } }));
    };
    const response = await app.call(account.secret, ask(more));
    expect(JSON.stringify([...response.headers])).not.toContain('canary');
    expect(await response.text()).not.toContain('canary-of');
  });

  it('of the caller’s headers, none reaches the provider but what we set ourselves', async () => {
    upstream.reply = (response) => response.end(JSON.stringify(completion));
    const sent = canaries([
      'cookie',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-real-ip',
      'forwarded',
      'openai-organization',
      'openai-project',
      'openai-beta',
      'anthropic-beta',
      'x-api-key-of-provider',
      'proxy-authorization',
      'http-referer',
      'x-title',
      'user-agent',
      'x-stainless-lang',
      'traceparent',
    ]);
    const response = await app.call(account.secret, ask(), '/chat/completions', { ...sent, 'accept-encoding': 'gzip' });
    expect(response.status).toBe(200);
    const { headers } = upstream.requests.at(-1) as IncomingMessage;
    expect(JSON.stringify(headers)).not.toMatch(/canary-of|sk-tg-/);
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
    ]);
    expect(headers['accept-encoding']).toBe('identity');
  });

  it('no field of a body moves the call elsewhere or brings a key of its own', async () => {
    const elsewhere = await RudeUpstream.start();
    upstream.reply = (response) => response.end(JSON.stringify(completion));
    const known = upstream.requests.length;
    const fields = {
      api_base: elsewhere.baseUrl,
      base_url: elsewhere.baseUrl,
      baseURL: elsewhere.baseUrl,
      api_key: 'sk-canary',
      api_version: 'canary',
      extra_headers: { authorization: 'Bearer sk-canary' },
      headers: { host: 'canary' },
      extra_body: { model: 'canary' },
      provider: { order: ['canary'], base_url: elsewhere.baseUrl },
      custom_llm_provider: 'canary',
      proxy: elsewhere.baseUrl,
      metadata: { api_base: elsewhere.baseUrl },
      user: 'canary',
      transforms: ['canary'],
      plugins: [{ id: 'web', url: elsewhere.baseUrl }],
      callbacks: [elsewhere.baseUrl],
      webhook: elsewhere.baseUrl,
    };
    const response = await app.call(account.secret, ask(fields));
    expect(response.status).toBe(200);
    expect(upstream.requests).toHaveLength(known + 1);
    expect(elsewhere.requests).toEqual([]);
    expect(upstream.bodies.at(-1)).not.toMatch(/canary|api_base|base_url/);
    await elsewhere.close();
  });
});
