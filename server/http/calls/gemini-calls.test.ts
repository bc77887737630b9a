import OpenAI from 'openai';
import { TestApp } from '../../test/create-test-app.js';
import { readCsvRows } from '../../test/csv-rows.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FakeGemini } from '../../test/fake-gemini.js';

const key = 'AIzaSyOperatorCanary0123456789';
const model = 'gemini-3.8-flash';
const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } },
];

describeOnEachDatabase('calls that Gemini answers', (openTestDatabase) => {
  const gemini = FakeGemini.forAll();
  const app = TestApp.forAll(openTestDatabase, () => ({ GEMINI_API_KEY: key, GEMINI_BASE_URL: gemini.baseUrl }));
  const account = app.accountForAll(1_000);

  const client = () => new OpenAI({ baseURL: app.proxyUrl, apiKey: account.secret, maxRetries: 0 });
  const ask = (content: string, fields: object = {}) =>
    app.call(account.secret, { model, messages: [{ role: 'user', content }], ...fields });
  const chargeOf = (work: () => Promise<unknown>) => app.chargeOf(account, work);

  it.each([
    ['gemini-3.8-flash', 250],
    ['gemini-3.1-pro', 500],
  ])('are plain and charged exactly: %s', async (name, cost) => {
    const charged = await chargeOf(async () => {
      const answer = await client().chat.completions.create({
        model: name,
        messages: [{ role: 'user', content: 'Hi' }],
      });
      expect(answer).toMatchObject({
        model: name,
        choices: [{ message: { content: 'Hello', reasoning_content: 'Hmm.' }, finish_reason: 'stop' }],
        usage: {
          prompt_tokens: 200,
          completion_tokens: 50,
          total_tokens: 250,
          prompt_tokens_details: { cached_tokens: 128 },
          completion_tokens_details: { reasoning_tokens: 30 },
        },
      });
    });
    expect(charged).toBe(cost);
  });

  it('tell what was cached and what was reasoned: on the receipt, in the file and as shares', async () => {
    const response = await ask('Hi', { metadata: { tag: 'parts' } });
    await response.text();
    await app.waitUntilSettled(account.accountId);
    const id = response.headers.get('x-request-id');
    const headers = { authorization: `Bearer ${account.secret}` };
    expect(await (await fetch(`${app.proxyUrl}/calls/${id}`, { headers })).json()).toMatchObject({
      usage: { prompt_tokens: 200, completion_tokens: 50, cached_tokens: 128, reasoning_tokens: 30 },
    });
    const query = `query ($id: ID!, $input: ExploreInput!) {
      call(id: $id) { cachedTokens reasoningTokens }
      explore(input: $input) { total { times { cachedPercent cacheHitPercent reasoningPercent } } } }`;
    const span = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000), bucket: 'DAY' };
    const input = { ...span, metric: 'TIMES', filter: { tags: ['parts'] } };
    expect(await app.graphql<object>(query, { id, input }, account.sessionToken)).toEqual({
      call: { cachedTokens: 128, reasoningTokens: 30 },
      explore: { total: { times: { cachedPercent: 64, cacheHitPercent: 100, reasoningPercent: 60 } } },
    });
    const csv = await fetch(`${app.baseUrl}/export/calls.csv?tag=parts`, {
      headers: { authorization: `Bearer ${account.sessionToken}` },
    });
    const rows = readCsvRows(await csv.text());
    expect(rows).toMatchObject([{ cached_tokens: '128', reasoning_tokens: '30' }]);
  });

  it.each([
    ['gemini-3.8-flash', 250],
    ['gemini-3.1-pro', 500],
  ])('are streamed and charged exactly: %s', async (name, cost) => {
    const charged = await chargeOf(async () => {
      const stream = await client().chat.completions.create({
        model: name,
        messages: [{ role: 'user', content: 'Hi' }],
        stream: true,
        stream_options: { include_usage: true },
      });
      let text = '';
      const totals: number[] = [];
      const reasons: (string | null)[] = [];
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        reasons.push(...chunk.choices.map((choice) => choice.finish_reason));
        if (chunk.usage) totals.push(chunk.usage.total_tokens);
      }
      expect({ text, totals }).toEqual({ text: 'Hello', totals: [250] });
      expect(reasons.filter(Boolean)).toEqual(['stop']);
    });
    expect(charged).toBe(cost);
  });

  it('are told their end once, behind the tool call, and charged exactly where Gemini writes STOP on every event', async () => {
    const charged = await chargeOf(async () => {
      const text = await (await ask('@@stops', { stream: true, tools })).text();
      const reasons = [...text.matchAll(/"finish_reason":"(\w+)"/g)].map(([, reason]) => reason);
      expect(reasons).toEqual(['tool_calls']);
      expect(text.indexOf('"finish_reason":"tool_calls"')).toBeGreaterThan(text.indexOf('get_weather'));
      expect(text).toContain('[DONE]');
    });
    expect(charged).toBe(250);
  });

  it.each([[false], [true]])('carry a thought’s signature there and back (streamed: %s)', async (isStream) => {
    const question = { role: 'user', content: 'Weather?' } as const;
    const first = { model, messages: [question], tools };
    const message = isStream
      ? (await client().chat.completions.stream(first).finalChatCompletion()).choices[0]?.message
      : (await client().chat.completions.create(first)).choices[0]?.message;
    const id = message?.tool_calls?.[0]?.id ?? '';
    expect(message).toMatchObject({
      tool_calls: [
        { function: { name: 'get_weather' }, extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } } },
      ],
    });
    const history = [
      question,
      message as OpenAI.ChatCompletionMessage,
      { role: 'tool' as const, tool_call_id: id, content: '7' },
    ];
    const second = await client().chat.completions.create({ model, messages: history, tools });
    expect(second.choices[0]?.message.content).toBe('Hello');
    expect(gemini.calls.at(-1)?.body.contents.slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          { functionCall: { id, name: 'get_weather', args: { city: 'Oslo' } }, thoughtSignature: 'c2lnbmF0dXJl' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id, name: 'get_weather', response: { output: '7' } } }] },
    ]);
  });

  it.each([[false], [true]])(
    'charge nothing for a blocked prompt, whatever was counted of it (streamed: %s)',
    async (stream) => {
      const charged = await chargeOf(async () => {
        const response = await ask('@@blocked', { stream });
        const text = await response.text();
        expect(response.status).toBe(200);
        expect(text).toContain('Provider gemini blocked this prompt (SAFETY).');
        expect(text).toContain('content_filter');
      });
      expect(charged).toBe(0);
    },
  );

  it.each([[false], [true]])('charge an image that Gemini does not count (streamed: %s)', async (stream) => {
    const charged = await chargeOf(async () => {
      const text = await (await ask('@@image', { stream })).text();
      expect(text).toContain('data:image/png;base64,aGk=');
    });
    expect(charged).toBeGreaterThan(1_120);
  });

  it.each([
    [400, 400, 'provider_rejected'],
    [403, 503, 'provider_unavailable'],
    [429, 429, 'provider_rate_limited'],
    [500, 502, 'provider_error'],
    [503, 503, 'provider_overloaded'],
  ])('are free when Gemini refuses with %d, and tell nothing of our account', async (theirs, ours, code) => {
    for (const stream of [false, true]) {
      const charged = await chargeOf(async () => {
        const response = await ask(`@@status=${theirs}`, { stream });
        const text = await response.text();
        expect(response.status).toBe(ours);
        expect(text).toContain(code);
        expect(text).not.toMatch(/AIza|1029384756|127\.0\.0\.1|v1beta/);
      });
      expect(charged).toBe(0);
    }
  });

  it.each([
    ['@@cut', 3],
    ['@@stops @@cut', 3],
    ['@@error-event', 3],
  ])('end with an error and without [DONE] after %s, charged for what had come', async (verb, tokensSeen) => {
    const charged = await chargeOf(async () => {
      const text = await (await ask(verb, { stream: true })).text();
      expect(text).toContain('Hel');
      expect(text).toContain('"error":');
      expect(text).not.toContain('[DONE]');
      expect(text).not.toMatch(/AIza|1029384756|127\.0\.0\.1/);
    });
    // The prompt as Gemini counted it, and of the answer what had come: more than Gemini's last count said.
    expect(charged).toBe(200 + tokensSeen);
  });

  it('send as the output cap exactly what was held for', async () => {
    const poor = await app.createAccount(0);
    await app.setBalance(poor.accountId, 5_000);
    const response = await app.call(poor.secret, { model, messages: [{ role: 'user', content: 'Hi' }] });
    const cap = Number(response.headers.get('x-credits-output-cap'));
    expect(response.status).toBe(200);
    expect(cap).toBeGreaterThan(4_000);
    expect(gemini.calls.at(-1)?.body.generationConfig?.maxOutputTokens).toBe(cap);
    await ask('Hi', { max_tokens: 123, reasoning_effort: 'high' });
    expect(gemini.calls.at(-1)?.body.generationConfig?.maxOutputTokens).toBe(123);
  });

  it('send our key in its header alone', () => {
    expect(new Set(gemini.calls.map((call) => call.key))).toEqual(new Set([key]));
    expect(gemini.calls.map(({ url }) => url).join(' ')).not.toMatch(/key|AIza/);
    expect(app.logLines.join('\n')).not.toContain(key);
  });

  it('are refused by name, and free, where Gemini cannot be told', async () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } };
    const sent = gemini.calls.length;
    const charged = await chargeOf(async () => {
      const response = await app.call(account.secret, { model, messages: [{ role: 'user', content: [image] }] });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { code: 'unsupported_parameter', param: 'messages[0].content[0].image_url.url' },
      });
    });
    expect({ charged, sent: gemini.calls.length - sent }).toEqual({ charged: 0, sent: 0 });
  });
});
