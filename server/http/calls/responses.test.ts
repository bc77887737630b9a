import OpenAI from 'openai';
import { type CapturedRequest, listCaptured } from '../../test/captured-requests.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { readNamedEvents } from '../../test/wire-events.js';

interface ResponsesEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly [field: string]: unknown;
}

const weather = {
  type: 'function' as const,
  name: 'get_weather',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

const captured = listCaptured('/v1/responses');

describeOnEachDatabase('POST /responses', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(50);

  const client = () => new OpenAI({ baseURL: app.proxyUrl, apiKey: account.secret, maxRetries: 0 });
  const chargeOf = (work: () => Promise<unknown>) => app.chargeOf(account, work);
  const post = (body: object, path = '/responses') =>
    fetch(`${app.proxyUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const eventsOf = async (body: object) =>
    readNamedEvents(await (await post({ ...body, stream: true })).text()) as readonly ResponsesEvent[];
  const ask = (input: string, more: object = {}) => ({ model: 'gpt-4o-mini', input, ...more });
  const lastUpstream = () => app.upstream.requests.at(-1)?.body as Record<string, unknown>;

  describe('with the openai package, given only base address and key', () => {
    it('answers a plain request and charges exactly its tokens', async () => {
      let tokens = 0;
      const charged = await chargeOf(async () => {
        const response = await client().responses.create(ask('Hi'));
        expect(response).toMatchObject({ object: 'response', status: 'completed', model: 'gpt-4o-mini', store: false });
        expect(response.output_text).toBe('Hello from upstream');
        tokens = response.usage?.total_tokens ?? 0;
      });
      expect(tokens).toBeGreaterThan(0);
      expect(charged).toBe(tokens);
    });

    it('says when an answer was complete, and not before it was', async () => {
      const response: { readonly created_at: number; readonly completed_at?: number | null } =
        await client().responses.create(ask('Hi'));
      expect(response.completed_at).toBeGreaterThanOrEqual(response.created_at);
      const events = await eventsOf(ask('Hi'));
      const told = events.flatMap(({ response: one }) => (one ? [one as { readonly completed_at?: unknown }] : []));
      expect(told.map((one) => one.completed_at === null)).toEqual([true, true, false]);
    });

    it('streams, resolves with the whole response and charges exactly its tokens', async () => {
      let tokens = 0;
      let text = '';
      const charged = await chargeOf(async () => {
        const stream = client().responses.stream(ask('Hi'));
        stream.on('response.output_text.delta', ({ delta }) => {
          text += delta;
        });
        const response = await stream.finalResponse();
        expect(response.output_text).toBe('Hello from upstream');
        tokens = response.usage?.total_tokens ?? 0;
      });
      expect(text).toBe('Hello from upstream');
      expect(tokens).toBeGreaterThan(0);
      expect(charged).toBe(tokens);
    });

    it.each([false, true])('runs a loop of two parallel tools, streamed: %s', async (isStreamed) => {
      const question = { role: 'user' as const, content: 'Weather? @@says=two-tools' };
      const first = { model: 'gpt-4o-mini', tools: [weather], input: [question] };
      const response = isStreamed
        ? await client().responses.stream(first).finalResponse()
        : await client().responses.create(first);
      const calls = response.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
      expect(calls.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo' }],
      ]);
      const outputs = calls.map(({ call_id }) => ({ type: 'function_call_output' as const, call_id, output: 'sun' }));
      const input = [question, ...response.output, ...outputs] as OpenAI.Responses.ResponseInput;
      const second = await client().responses.create({ model: 'gpt-4o-mini', tools: [weather], input });
      expect(second.status).toBe('completed');
      expect((lastUpstream().messages as { role: string }[]).map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'tool',
      ]);
    });

    it('answers a refusal as a part of its own', async () => {
      const response = await client().responses.create(ask('@@says=refusal'));
      expect(response.output).toMatchObject([
        { type: 'message', content: [{ type: 'refusal', refusal: 'I will not.' }] },
      ]);
    });

    it('says why an answer is incomplete', async () => {
      const response = await client().responses.create(ask('@@words=30', { max_output_tokens: 5 }));
      expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    });

    it('tells a wrong key as OpenAI does', async () => {
      const stranger = new OpenAI({ baseURL: app.proxyUrl, apiKey: 'sk-wrong', maxRetries: 0 });
      await expect(stranger.responses.create(ask('Hi'))).rejects.toMatchObject({
        status: 401,
        code: 'invalid_api_key',
      });
    });
  });

  describe('the events of a stream', () => {
    const typesOf = (events: readonly ResponsesEvent[]) => events.map(({ type }) => type.replace('response.', ''));

    it('of text come in the documented order, numbered from 0, with one id for one item', async () => {
      const events = await eventsOf(ask('Hi'));
      expect(typesOf(events)).toEqual([
        ...['created', 'in_progress', 'output_item.added', 'content_part.added'],
        ...['output_text.delta', 'output_text.delta', 'output_text.delta'],
        ...['output_text.done', 'content_part.done', 'output_item.done', 'completed'],
      ]);
      expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
      const ids = new Set(events.flatMap((event) => [event.item_id, (event.item as { id: string })?.id]));
      expect([...ids].filter(Boolean)).toHaveLength(1);
    });

    it('tell the summary of thinking to who asked for it, before the message', async () => {
      const events = await eventsOf(ask('@@says=reasoning', { model: 'gpt-5', reasoning: { summary: 'auto' } }));
      expect(typesOf(events)).toEqual([
        ...['created', 'in_progress', 'output_item.added', 'reasoning_summary_part.added'],
        ...['reasoning_summary_text.delta', 'reasoning_summary_text.delta', 'reasoning_summary_text.done'],
        ...['reasoning_summary_part.done', 'output_item.done'],
        ...['output_item.added', 'content_part.added', 'output_text.delta', 'output_text.done'],
        ...['content_part.done', 'output_item.done', 'completed'],
      ]);
      expect(typesOf(await eventsOf(ask('@@says=reasoning', { model: 'gpt-5' })))).not.toContain(
        'reasoning_summary_text.delta',
      );
    });

    it('give each of two parallel calls an item of its own', async () => {
      const events = await eventsOf(ask('@@says=two-tools', { tools: [weather] }));
      const done = events.filter(({ type }) => type === 'response.output_item.done');
      expect(done).toMatchObject([
        { output_index: 0, item: { type: 'function_call', status: 'completed', call_id: 'call_up_0' } },
        { output_index: 1, item: { type: 'function_call', arguments: '{"city":"Oslo"}', call_id: 'call_up_1' } },
      ]);
      expect(events.at(-1)).toMatchObject({ response: { output: done.map(({ item }) => item) } });
    });

    it('end with response.failed when the provider breaks off', async () => {
      const events = await eventsOf(ask('@@cut=2'));
      expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed', error: {} } });
      expect(events.filter(({ type }) => /failed|completed|incomplete/.test(type))).toHaveLength(1);
    });
  });

  // Files have no price here.
  const withFile = ({ body }: CapturedRequest) => JSON.stringify(body).includes('input_file');

  it.each(captured.filter(([, request]) => withFile(request)))(
    'refuses by name the file in what was captured of %s',
    async (_, { body }) => {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { code: 'unsupported_value', param: 'input[0].content[2].type' },
      });
    },
  );

  it.each(captured.filter(([, request]) => !withFile(request)))(
    'answers what was captured of %s, and charges exactly what it says',
    async (_, { body }) => {
      const model = body.model === 'gpt-x' || body.model.startsWith('gpt-5') ? 'gpt-5' : 'gpt-4o';
      let tokens = 0;
      const charged = await chargeOf(async () => {
        if (body.stream === true) {
          const events = await eventsOf({ ...body, model });
          const response = events.at(-1)?.response as { status: string; usage: { total_tokens: number } };
          expect(response.status).toBe('completed');
          tokens = response.usage.total_tokens;
          return;
        }
        const response = await post({ ...body, model });
        const answer = (await response.json()) as { status: string; usage: { total_tokens: number } };
        expect([response.status, answer.status]).toEqual([200, 'completed']);
        tokens = answer.usage.total_tokens;
      });
      expect(tokens).toBeGreaterThan(0);
      expect(charged).toBe(2 * tokens);
    },
  );

  describe('says what is wrong in the words of this wire', () => {
    const item = { type: 'function_call_output', call_id: 'call_9', output: 'sun' };
    it.each([
      [{ input: undefined }, 'missing_required_parameter', 'input'],
      [{ input: 'Hi', previous_response_id: 'resp_1' }, 'unsupported_parameter', 'previous_response_id'],
      [{ input: 'Hi', conversation: 'conv_1' }, 'unsupported_parameter', 'conversation'],
      [{ input: 'Hi', background: true }, 'unsupported_parameter', 'background'],
      [{ input: 'Hi', tools: [{ type: 'file_search' }] }, 'unsupported_value', 'tools[0].type'],
      [{ input: [item] }, 'invalid_value', 'input[0].call_id'],
      [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'invalid_value', 'input[0].id'],
      [{ input: [{ type: 'computer_call' }] }, 'unsupported_value', 'input[0]'],
      [
        {
          input: [
            { role: 'user', content: 'a' },
            { role: 'king', content: 'b' },
          ],
        },
        'invalid_value',
        'input[1].role',
      ],
      [{ input: 'Hi', instructions: 5 }, 'invalid_type', 'instructions.content'],
      [{ input: 'Hi', max_output_tokens: 0 }, 'invalid_value', 'max_output_tokens'],
      [{ input: 'Hi', reasoning: { effort: 'huge' } }, 'invalid_value', 'reasoning.effort'],
      [{ input: 'Hi', text: { format: { type: 'json_schema' } } }, 'missing_required_parameter', 'text.format.name'],
      [{ input: 'Hi', metadata: { a: 1 } }, 'invalid_value', 'metadata'],
      [{ input: [] }, 'invalid_value', 'input'],
    ])('%j', async (fields, code, param) => {
      const before = app.upstream.requests.length;
      const response = await post({ model: 'gpt-4o-mini', ...fields });
      expect(response.status).toBe(400);
      const { error } = (await response.json()) as { error: { message: string } };
      expect(error).toMatchObject({ code, param });
      expect(error.message).toContain(`'${param.split('.content')[0]}`);
      expect(app.upstream.requests).toHaveLength(before);
    });

    it('a stored response that is asked for', async () => {
      const response = await fetch(`${app.proxyUrl}/responses/resp_1`, {
        headers: { authorization: `Bearer ${account.secret}` },
      });
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('not stored');
    });
  });

  it('never gives the answer of one wire for a body that was sent on the other', async () => {
    const body = { model: 'gpt-4o-mini', input: 'Hi' };
    const headers = {
      authorization: `Bearer ${account.secret}`,
      'content-type': 'application/json',
      'idempotency-key': 'one-key-two-wires',
    };
    const send = (path: string) =>
      fetch(`${app.proxyUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await (await send('/responses')).json()).toMatchObject({ object: 'response' });
    const replay = await send('/responses');
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    expect(await replay.json()).toMatchObject({ object: 'response' });
    expect((await send('/chat/completions')).status).toBe(422);
  });

  it('calls a tool in a namespace by its flat name, and gives both names back', async () => {
    const space = { type: 'namespace', name: 'agents', tools: [{ ...weather, name: 'spawn' }] };
    await post(ask('Hi', { tools: [space, { type: 'web_search', external_web_access: false }] }));
    expect(lastUpstream().tools).toMatchObject([{ function: { name: 'agents__spawn' } }]);
    const history = [
      { role: 'user', content: 'go' },
      { type: 'function_call', call_id: 'c1', namespace: 'agents', name: 'spawn', arguments: '{}' },
    ];
    await post({ model: 'gpt-4o-mini', input: history, tools: [space] });
    expect(lastUpstream().messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ function: { name: 'agents__spawn' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'No output.' },
    ]);
  });
});
