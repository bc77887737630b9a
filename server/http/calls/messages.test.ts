import Anthropic from '@anthropic-ai/sdk';
import { listCaptured } from '../../test/captured-requests.js';
import { type ClaudeApp, runWithClaude } from '../../test/claude-app.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { readNamedEvents } from '../../test/wire-events.js';

interface MessagesUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

interface MessagesEvent {
  readonly type: string;
  readonly usage?: MessagesUsage;
  readonly [field: string]: unknown;
}

const weather = {
  name: 'get_weather',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
};
const captured = listCaptured('/v1/messages');

const countAll = (usage: MessagesUsage) =>
  usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens + usage.output_tokens;

describeOnEachDatabase('POST /v1/messages', (openTestDatabase) => {
  let { claude, app, account } = {} as ClaudeApp;
  runWithClaude({ openTestDatabase }, (started) => {
    ({ claude, app, account } = started);
  });

  const client = (baseURL = app.baseUrl) => new Anthropic({ baseURL, apiKey: account.secret, maxRetries: 0 });
  const chargeOf = (work: () => Promise<unknown>) => app.chargeOf(account, work);
  const post = (
    body: object,
    path = '/v1/messages',
    headers: Record<string, string> = { 'x-api-key': account.secret },
  ) =>
    fetch(`${app.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
      body: JSON.stringify(body),
    });
  const eventsOf = async (body: object) =>
    readNamedEvents(await (await post({ ...body, stream: true })).text()) as readonly MessagesEvent[];
  const ask = (content: string, more: object = {}) => ({
    model: 'gpt-4o-mini',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content }],
    ...more,
  });
  const lastUpstream = () => app.upstream.requests.at(-1)?.body as Record<string, unknown>;

  describe.each(['', '/api/proxy.php'])(
    'with the client of Anthropic, given only the base address …%s and the key',
    (prefix) => {
      const sdk = () => client(`${app.baseUrl}${prefix}`);

      it.each([
        ['gpt-4o-mini', 1],
        ['claude-haiku-5-5', 1],
        ['claude-opus-5', 2],
      ])('charges a plain call of %s exactly its tokens times %i', async (model, price) => {
        let tokens = 0;
        const charged = await chargeOf(async () => {
          const message = await sdk().messages.create({ ...ask('Hi'), model });
          expect(message).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn' });
          expect(message.content[0]).toMatchObject({ type: 'text' });
          tokens = countAll(message.usage as MessagesUsage);
        });
        expect(tokens).toBeGreaterThan(0);
        expect(charged).toBe(tokens * price);
      });

      it.each([
        ['gpt-4o-mini', 1],
        ['claude-opus-5', 2],
      ])('charges a streamed call of %s exactly its tokens times %i', async (model, price) => {
        let tokens = 0;
        let text = '';
        const charged = await chargeOf(async () => {
          const stream = sdk().messages.stream({ ...ask('Hi'), model });
          stream.on('text', (piece) => {
            text += piece;
          });
          const message = await stream.finalMessage();
          expect(message.stop_reason).toBe('end_turn');
          tokens = countAll(message.usage as MessagesUsage);
        });
        expect(text).not.toBe('');
        expect(charged).toBe(tokens * price);
      });
    },
  );

  it.each([false, true])('runs a loop of two parallel tools, streamed: %s', async (isStreamed) => {
    const first = ask('Weather? @@says=two-tools', { tools: [weather] });
    const message = isStreamed
      ? await client().messages.stream(first).finalMessage()
      : await client().messages.create(first);
    expect(message.stop_reason).toBe('tool_use');
    const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ['get_weather', { city: 'Paris' }],
      ['get_weather', { city: 'Oslo' }],
    ]);
    const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'sun' }));
    const second = await client().messages.create({
      ...ask('Weather?'),
      tools: [weather],
      messages: [
        ...first.messages,
        { role: 'assistant', content: message.content },
        { role: 'user', content: [...results, { type: 'text', text: 'And now?' }] },
      ],
    });
    expect(second.stop_reason).toBe('end_turn');
    expect((lastUpstream().messages as { role: string }[]).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
  });

  describe('the events of a stream', () => {
    const typesOf = (events: readonly MessagesEvent[]) => events.map(({ type }) => type);

    it('of text come in the documented order, and their end tells what was billed', async () => {
      let events: readonly MessagesEvent[] = [];
      const charged = await chargeOf(async () => {
        events = await eventsOf(ask('Hi'));
      });
      expect(typesOf(events)).toEqual([
        ...['message_start', 'ping', 'content_block_start'],
        ...['content_block_delta', 'content_block_delta', 'content_block_delta'],
        ...['content_block_stop', 'message_delta', 'message_stop'],
      ]);
      expect(events[0]).toMatchObject({ message: { content: [], stop_reason: null, usage: { input_tokens: 1 } } });
      expect(countAll(events.at(-2)?.usage as MessagesUsage)).toBe(charged);
    });

    it('tell thinking in a signed block of its own, which is taken back', async () => {
      const events = await eventsOf(ask('@@says=reasoning', { model: 'gpt-5' }));
      expect(events.flatMap(({ content_block: block }) => (block ? [(block as { type: string }).type] : []))).toEqual([
        'thinking',
        'text',
      ]);
      const deltas = events.map(({ delta }) => delta as { type?: string; signature?: string } | undefined);
      const signature = deltas.find((delta) => delta?.type === 'signature_delta')?.signature;
      expect(signature).toBeTruthy();
      const thinking = { type: 'thinking', thinking: 'Let me think.', signature };
      const history = [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: [thinking] },
      ];
      expect((await post({ ...ask('b'), messages: [...history, { role: 'user', content: 'b' }] })).status).toBe(200);
    });

    it('never have two blocks open at once, though two calls come', async () => {
      const events = await eventsOf(ask('@@says=two-tools', { tools: [weather] }));
      let open = 0;
      for (const { type } of events) {
        if (type === 'content_block_start') open += 1;
        if (type === 'content_block_stop') open -= 1;
        expect(open).toBeLessThanOrEqual(1);
      }
      expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
    });

    it('end with an event of the error when the provider breaks off', async () => {
      const events = await eventsOf(ask('@@cut=2'));
      expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: expect.stringMatching(/_error$/) } });
      expect(typesOf(events)).not.toContain('message_stop');
    });
  });

  it.each(captured)(
    'answers what was captured of %s, and charges exactly what it says',
    async (name, { body, headers }) => {
      const model = name.startsWith('claude-code') ? 'gpt-5' : 'claude-opus-5';
      const hasForeignThinking = JSON.stringify(body.messages).includes('"thinking"');
      let tokens = 0;
      const charged = await chargeOf(async () => {
        const auth: Record<string, string> =
          headers['x-api-key'] === undefined
            ? { authorization: `Bearer ${account.secret}` }
            : { 'x-api-key': account.secret };
        const response = await post({ ...body, model }, '/v1/messages?beta=true', auth);
        const text = await response.text();
        expect([response.status, response.status === 200 ? '' : text]).toEqual([200, '']);
        if (body.stream === true) {
          expect(text).toContain('event: message_stop');
          const end = text.split('\n').find((line) => line.startsWith('data: {"type":"message_delta"')) ?? '';
          tokens = countAll((JSON.parse(end.slice(6)) as { usage: MessagesUsage }).usage);
        } else tokens = countAll((JSON.parse(text) as { usage: MessagesUsage }).usage);
      });
      expect(tokens).toBeGreaterThan(0);
      expect(charged).toBe(2 * tokens);
      // A model of another maker, or of another service, would refuse it.
      if (hasForeignThinking) expect(JSON.stringify(lastUpstream().messages)).not.toContain('signature');
    },
  );

  it('leaves the caller’s marks of what may be cached where they are, for Anthropic alone', async () => {
    const cache_control = { type: 'ephemeral' as const };
    const marked = {
      max_tokens: 100,
      system: [{ type: 'text', text: 'Be brief.', cache_control }],
      tools: [{ ...weather, cache_control }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control }] }],
    };
    await post({ ...marked, model: 'claude-opus-5' });
    expect(claude.calls.at(-1)?.body).toMatchObject({
      system: [{ cache_control }],
      tools: [{ cache_control }],
      messages: [{ content: [{ cache_control }] }],
    });
    await post({ ...marked, model: 'gpt-4o-mini' });
    expect(JSON.stringify(lastUpstream())).not.toContain('cache_control');
  });

  it('lowers a cap that the client chose by itself to what the account can pay', async () => {
    const poor = await app.createAccount(0);
    await app.setBalance(poor.accountId, 5_000);
    const response = await post(ask('Hi', { max_tokens: 64_000 }), '/v1/messages', { 'x-api-key': poor.secret });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('x-credits-output-cap'))).toBeLessThan(5_000);
  });

  it('counts tokens without a charge', async () => {
    let counted = 0;
    const charged = await chargeOf(async () => {
      const { input_tokens: tokens } = await client().messages.countTokens({
        model: 'gpt-4o-mini',
        messages: [{ role: 'user', content: 'Hello, how are you today?' }],
      });
      counted = tokens;
    });
    expect(counted).toBeGreaterThan(3);
    expect(counted).toBeLessThan(20);
    expect(charged).toBe(0);
  });

  it('lets in whose x-api-key is good, whatever token comes beside it, on each address of Anthropic’s clients', async () => {
    const statusOf = async (answer: Promise<Response>) => (await answer).status;
    const headers = { 'x-api-key': account.secret, authorization: 'Bearer of-another-service' };
    expect(await statusOf(post(ask('Hi'), '/v1/messages', headers))).toBe(200);
    expect(await statusOf(post(ask('Hi'), '/v1/messages/count_tokens', headers))).toBe(200);
    const models = `${app.baseUrl}/v1/models`;
    expect(await statusOf(fetch(models, { headers: { ...headers, 'anthropic-version': '2023-06-01' } }))).toBe(200);
    expect(await statusOf(fetch(models, { headers }))).toBe(401);
  });

  it('lists the models as Anthropic does to whoever says its version', async () => {
    const page = await client().models.list();
    expect(page.data.map(({ id }) => id)).toContain('claude-opus-5');
    expect(page.data[0]).toMatchObject({ type: 'model', display_name: expect.any(String) });
  });

  describe('says what is wrong in the form and the words of this wire', () => {
    const user = { role: 'user', content: 'Hi' };
    it.each([
      [{ messages: undefined }, "'messages'"],
      [{ messages: [user, { role: 'king', content: 'x' }] }, "'messages[1].role'"],
      [{ messages: [{ role: 'user', content: [{ type: 'container_upload' }] }] }, "'messages[0].content[0].type'"],
      [{ system: 'Be brief', messages: [{ role: 'assistant', content: 5 }] }, "'messages[0].content'"],
      [{ max_tokens: 0 }, "'max_tokens'"],
      [{ stop_sequences: ['a', 'b', 'c', 'd', 'e'] }, "'stop_sequences'"],
      [{ output_config: { effort: 'huge' } }, "'output_config.effort'"],
      [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, "'tools[0].type'"],
      [{ mcp_servers: [{ url: 'https://x.test' }] }, "'mcp_servers'"],
    ])('%j', async (fields, words) => {
      const response = await post({ ...ask('Hi'), ...fields });
      expect(response.status).toBe(400);
      const body = (await response.json()) as { error: { message: string } };
      expect(body).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
      expect(body).toMatchObject({ request_id: response.headers.get('request-id') });
      expect(body.error.message).toContain(words);
    });

    it('a wrong key, an unknown model, an empty account', async () => {
      const stranger = await post(ask('Hi'), '/v1/messages', { 'x-api-key': 'sk-wrong' });
      expect([stranger.status, await stranger.json()]).toMatchObject([
        401,
        { error: { type: 'authentication_error' } },
      ]);
      const unknown = await post(ask('Hi', { model: 'no-such' }));
      expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { type: 'not_found_error' } }]);
      const poor = await app.createAccount(0);
      const refused = await post(ask('Hi'), '/v1/messages', { authorization: `Bearer ${poor.secret}` });
      expect([refused.status, await refused.json()]).toMatchObject([402, { error: { type: 'billing_error' } }]);
    });
  });
});

describeOnEachDatabase('The bare host as base address', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(5);

  it.each([
    ['/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
    ['/responses', { input: 'Hi' }],
    ['/messages', { max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }],
  ])('answers POST %s', async (path, body) => {
    const response = await fetch(`${app.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o-mini', ...body }),
    });
    expect(response.status).toBe(200);
  });

  it('lists models to a client, and shows the page to a browser', async () => {
    expect(await (await fetch(`${app.baseUrl}/models`)).json()).toMatchObject({ object: 'list' });
    const page = await fetch(`${app.baseUrl}/models`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toContain('text/html');
  });

  it('says what is missing at every other address', async () => {
    const response = await fetch(`${app.baseUrl}/nowhere`, { method: 'POST' });
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'unknown_url' } }]);
  });
});
