import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase, type OpenTestDatabase } from '../../test/each-database.js';
import type { Dialect } from '../../test/odd-answers.js';
import { askOnWires, modelsOfDialects, ToldUpstream } from '../../test/told-upstream.js';

interface Receipt {
  readonly outcome: string;
  readonly usage_source: string;
  readonly prompt_tokens: number | string;
  readonly completion_tokens: number | string;
}

const wires = Object.keys(askOnWires);
const toEvents = (events: readonly object[], end = '') =>
  `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}${end}`;
const counted = { prompt_tokens: 25, completion_tokens: 60, total_tokens: 85 };

/** What an OpenAI-compatible provider writes of choices with these messages. */
function toOpenAi(messages: readonly (object | string)[], isStreamed: boolean, usage: object | null): string {
  const beside = usage === null ? {} : { usage };
  if (!isStreamed) {
    const choices = messages.map((message, index) => ({ index, message, finish_reason: 'stop' }));
    return JSON.stringify({ id: 'u', choices, ...beside });
  }
  const pieces = messages.flatMap((delta, index) => [
    { choices: [{ index, delta: typeof delta === 'string' ? delta : { role: 'assistant', ...delta } }] },
    { choices: [{ index, delta: {}, finish_reason: 'stop' }] },
  ]);
  return toEvents([...pieces, { choices: [], ...beside }], 'data: [DONE]\n\n');
}

function toAnthropic(blocks: readonly object[], isStreamed: boolean): string {
  if (!isStreamed) return JSON.stringify({ type: 'message', content: blocks, stop_reason: 'end_turn' });
  return toEvents([
    { type: 'message_start', message: {} },
    ...blocks.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ]);
}

function toGemini(parts: unknown, isStreamed: boolean): string {
  const answer = { candidates: [{ content: { parts }, finishReason: 'STOP' }] };
  return isStreamed ? toEvents([answer]) : JSON.stringify(answer);
}

/** A server whose provider answers as it is told, and an account that asks it. */
function useToldServer(openTestDatabase: OpenTestDatabase) {
  const upstream = ToldUpstream.forAll();
  const app = TestApp.forAll(openTestDatabase, () => upstream.settings);
  const account = app.accountForAll(50);

  async function ask(wire: string, dialect: Dialect, body: string, isStreamed: boolean, more: object = {}) {
    upstream.reply = { body, isStreamed };
    const stream = isStreamed ? { stream: true } : {};
    const response = await app.call(
      account.secret,
      { ...askOnWires[wire]?.(modelsOfDialects[dialect]), ...stream, ...more },
      wire,
    );
    const text = await response.text();
    const id = response.headers.get('x-generation-id');
    const [receipt] = (await app.query(`SELECT * FROM call_record WHERE call_id = '${id}'`)) as unknown as Receipt[];
    const tokens = [Number(receipt?.prompt_tokens), Number(receipt?.completion_tokens)];
    return { status: response.status, text, source: receipt?.usage_source, outcome: receipt?.outcome, tokens };
  }
  return { ask, logLines: () => app.logLines };
}

describeOnEachDatabase('An answer in a form that nobody lists', (openTestDatabase) => {
  const { ask } = useToldServer(openTestDatabase);

  const calls = [
    ['an object in the place of a list', { function: { name: 'glimmer', arguments: '{"at":"here"}' }, id: 'a' }],
    ['calls under their numbers', { 0: { id: 'a', function: { name: 'glimmer', arguments: '{"at":"here"}' } } }],
    ['arguments as an object', [{ id: 'a', function: { name: 'glimmer', arguments: { at: 'here' } } }]],
    ['no function around its fields', [{ id: 'a', name: 'glimmer', arguments: { at: 'here' } }]],
  ] as const;
  it.each(calls.flatMap(([title, value]) => [false, true].map((isStreamed) => [title, isStreamed, value] as const)))(
    'is a call of a tool for its caller, on each wire, and is charged: %s, streamed: %s',
    async (_, isStreamed, value) => {
      for (const wire of wires.filter((path) => path !== '/completions')) {
        const seen = await ask(
          wire,
          'openai',
          toOpenAi([{ content: null, tool_calls: value }], isStreamed, null),
          isStreamed,
        );
        expect(seen).toMatchObject({ status: 200, outcome: 'completed', source: 'estimated' });
        expect(seen.text.replaceAll('\\', '')).toMatch(/"name":"glimmer".*"at":"here"/s);
        expect(seen.tokens[1]).toBeGreaterThan(3);
      }
    },
  );

  const openAi = [
    [
      'sound that was not asked for',
      { content: null, audio: { id: 'x', data: 'Z2xpbW1lcg==', transcript: 'A glimmer' } },
    ],
    ['a truth value', { content: true, note: 'A glimmer' }],
    ['a field of tomorrow', { content: '', hologram: { says: ['A glimmer'] } }],
    ['a part of tomorrow', { content: [{ type: 'hologram', says: 'A glimmer' }] }],
    ['a refusal in parts', { content: null, refusal: [{ type: 'refusal', says: 'A glimmer' }] }],
    ['words in the place of a message', 'A glimmer'],
  ] as const;
  const blocks = [{ type: 'hologram', says: 'A glimmer' }];
  const parts = [{ executableCode: { language: 'PYTHON', code: 'print("A glimmer")' } }];
  const answers: readonly (readonly [string, Dialect, (isStreamed: boolean, usage: object | null) => string])[] = [
    ...openAi.map(
      ([title, message]) =>
        [
          title,
          'openai',
          (isStreamed: boolean, usage: object | null) => toOpenAi([message], isStreamed, usage),
        ] as const,
    ),
    ['a block of tomorrow', 'anthropic', (isStreamed) => toAnthropic(blocks, isStreamed)],
    ['a part of tomorrow', 'gemini', (isStreamed) => toGemini(parts, isStreamed)],
    ['a part without a list', 'gemini', (isStreamed) => toGemini({ text: 'A glimmer' }, isStreamed)],
  ];
  it.each(
    answers.flatMap(([title, dialect, write]) =>
      [false, true].map((stream) => [title, dialect, stream, write] as const),
    ),
  )(
    'reaches its caller on each wire and is charged, a little where nobody counted: %s of %s, streamed: %s',
    async (_, dialect, isStreamed, write) => {
      for (const wire of wires) {
        const seen = await ask(wire, dialect, write(isStreamed, null), isStreamed);
        expect({ wire, ...seen }).toMatchObject({ status: 200, outcome: 'completed', source: 'estimated' });
        expect({ wire, text: seen.text }).toEqual({ wire, text: expect.stringMatching(/glimmer|true/) });
        expect(seen.tokens[1]).toBeGreaterThan(0);
        expect(seen.tokens[1]).toBeLessThan(40);
        if (dialect !== 'openai') continue;
        const reported = await ask(wire, dialect, write(isStreamed, { ...counted, completion_tokens: 9 }), isStreamed);
        expect({ wire, ...reported }).toMatchObject({ source: 'reported', tokens: [25, 9] });
      }
    },
  );

  it('is told as words over /completions where it is a call of a tool that nobody could offer, and is charged', async () => {
    const target = { name: 'glimmer', arguments: '{"at":"here"}' };
    const messages = [
      {
        content: null,
        tool_calls: [
          { id: 'a', function: target },
          { id: 'b', function: target },
        ],
      },
    ];
    for (const isStreamed of [false, true]) {
      const seen = await ask('/completions', 'openai', toOpenAi(messages, isStreamed, null), isStreamed);
      expect(seen).toMatchObject({ outcome: 'completed', source: 'estimated' });
      expect(seen.text.replaceAll('\\', '')).toContain('glimmer {"at":"here"}nglimmer {"at":"here"}');
    }
  });

  it.each([
    ['openai', (isStreamed: boolean) => toOpenAi([{ images: [{}, { type: 'image_url' }] }], isStreamed, null)],
    ['openai', (isStreamed: boolean) => toOpenAi([{ images: { role: 'assistant' } }], isStreamed, null)],
    ['gemini', (isStreamed: boolean) => toGemini([{ inlineData: { mimeType: 'image/png' } }], isStreamed)],
    ['gemini', (isStreamed: boolean) => toGemini([{ inlineData: {} }], isStreamed)],
  ] as const)('is free where it is an image with nothing in it: %s', async (dialect, write) => {
    for (const isStreamed of [false, true]) {
      for (const wire of wires) {
        const seen = await ask(wire, dialect, write(isStreamed), isStreamed);
        expect({ wire, ...seen }).toMatchObject({ source: 'none', tokens: [0, 0] });
      }
    }
  });

  it('is charged no more than an image where it is long, however it is repeated', async () => {
    const audio = { data: 'QUFB'.repeat(100_000) };
    const plain = await ask('/chat/completions', 'openai', toOpenAi([{ audio }], false, null), false, {
      max_tokens: 5_000,
    });
    expect(plain).toMatchObject({ source: 'estimated', tokens: [expect.any(Number), 1_120] });
    const deltas = Array.from({ length: 100 }, (_, index) => ({
      choices: [{ index: 0, delta: { state: `${index}`.repeat(400) } }],
    }));
    const body = toEvents(
      [...deltas, { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }],
      'data: [DONE]\n\n',
    );
    const streamed = await ask('/chat/completions', 'openai', body, true, { max_tokens: 5_000 });
    expect(streamed).toMatchObject({ source: 'estimated', tokens: [expect.any(Number), 1_120] });
    expect(streamed.text).toContain('"content":"Hi"');
  });
});

describeOnEachDatabase('Choices that nobody asked for', (openTestDatabase) => {
  const { ask, logLines } = useToldServer(openTestDatabase);

  const words = 'Hello from upstream';
  const three = [words, `${words} once more`, `${words} again`].map((content) => ({ content }));
  const candidates = three.map(({ content }, index) => ({
    index,
    content: { parts: [{ text: content }] },
    finishReason: 'STOP',
  }));
  const usageMetadata = { promptTokenCount: 25, candidatesTokenCount: 60, totalTokenCount: 85 };
  const written: Readonly<Record<string, (isStreamed: boolean) => string>> = {
    openai: (isStreamed) => toOpenAi(three, isStreamed, counted),
    gemini: (isStreamed) =>
      isStreamed ? toEvents([{ candidates, usageMetadata }]) : JSON.stringify({ candidates, usageMetadata }),
  };

  it.each(['openai', 'gemini'].flatMap((dialect) => [false, true].map((isStreamed) => [dialect, isStreamed] as const)))(
    'are not paid for on any wire, only the one that is seen, and the operator is told: %s, streamed: %s',
    async (dialect, isStreamed) => {
      for (const wire of wires) {
        const logged = logLines().length;
        const body = written[dialect]?.(isStreamed) ?? '';
        const { text, outcome, source, tokens } = await ask(wire, dialect as Dialect, body, isStreamed);
        expect(text).toContain(words);
        expect(text).not.toMatch(/once more|again/);
        expect({ outcome, source, tokens }).toEqual({ outcome: 'completed', source: 'estimated', tokens: [25, 3] });
        expect(logLines().slice(logged).join('')).toContain('"reason":"unasked_choices"');
      }
    },
  );

  it('are no reason to pay more than their provider counted of all', async () => {
    const few = { prompt_tokens: 25, completion_tokens: 2, total_tokens: 27 };
    for (const isStreamed of [false, true]) {
      const { tokens } = await ask('/chat/completions', 'openai', toOpenAi(three, isStreamed, few), isStreamed);
      expect(tokens[1]).toBe(2);
    }
  });

  it('are paid as counted where as many were asked for', async () => {
    for (const isStreamed of [false, true]) {
      const body = toOpenAi(three, isStreamed, counted);
      const { text, source, tokens } = await ask('/chat/completions', 'openai', body, isStreamed, { n: 3 });
      expect(text).toMatch(/once more.*again/s);
      expect(source).toBe('reported');
      expect(tokens[1]).toBe(60);
    }
  });
});

describeOnEachDatabase('One answer that its provider writes as several choices', (openTestDatabase) => {
  const { ask, logLines } = useToldServer(openTestDatabase);

  const words = 'I look at the place.';
  const call = { content: null, tool_calls: [{ id: 'a', function: { name: 'glimmer', arguments: '{"at":"here"}' } }] };
  const another = { content: null, tool_calls: [{ id: 'b', function: { name: 'shimmer', arguments: '{}' } }] };
  const callWires = wires.filter((path) => path !== '/completions');
  const parts = [
    ['words and a call', [{ content: words }, call]],
    ['a call and words', [call, { content: words }]],
    [
      'an empty one, a thought, words and a call',
      [{ content: '' }, { reasoning_content: 'Hm.' }, { content: words }, call],
    ],
  ] as const;
  const ends: Readonly<Record<string, RegExp>> = {
    '/chat/completions': /"finish_reason":"tool_calls"/,
    '/responses': /"type":"function_call"/,
    '/messages': /"stop_reason":"tool_use"/,
  };

  it.each(
    parts.flatMap(([title, messages]) => [false, true].map((isStreamed) => [title, isStreamed, messages] as const)),
  )(
    'is one for its caller on each wire, and is charged as its provider counted: %s, streamed: %s',
    async (_, isStreamed, messages) => {
      for (const wire of callWires) {
        const logged = logLines().length;
        const body = toOpenAi(messages, isStreamed, counted);
        const { text, ...seen } = await ask(wire, 'openai', body, isStreamed);
        expect({ wire, ...seen }).toMatchObject({ outcome: 'completed', source: 'reported', tokens: [25, 60] });
        expect(text).toContain(words);
        expect(text.replaceAll('\\', '')).toMatch(/"name":"glimmer".*"at":"here"/s);
        expect({ wire, text }).toEqual({ wire, text: expect.stringMatching(ends[wire] ?? /never/) });
        if (wire === '/chat/completions') expect(text).not.toMatch(/"index":[1-9],"(?:delta|message)"/);
        expect(logLines().slice(logged).join('')).not.toContain('unasked_choices');
      }
    },
  );

  const seconds = [
    ['other words with a call', [{ content: words }, { ...call, content: 'I will not.' }], /I will not|glimmer/],
    ['a second call', [{ ...call, content: words }, another], /shimmer/],
    [
      'the words of another answer behind its call',
      [{ content: words }, call, { ...another, content: 'No.' }],
      /shimmer|No\./,
    ],
  ] as const;
  it.each(
    seconds.flatMap(([title, messages, left]) =>
      [false, true].map((isStreamed) => [title, isStreamed, messages, left] as const),
    ),
  )(
    'is that alone: what is a second answer is left out and not paid: %s, streamed: %s',
    async (_, isStreamed, messages, left) => {
      for (const wire of callWires) {
        const { text, ...seen } = await ask(wire, 'openai', toOpenAi(messages, isStreamed, counted), isStreamed);
        expect({ wire, ...seen }).toMatchObject({ outcome: 'completed', source: 'estimated' });
        expect(seen.tokens[1]).toBeLessThan(30);
        expect(text).toContain(words);
        expect(text).not.toMatch(left);
      }
    },
  );

  it('is one where all parts stand in one event, under the same number or under none', async () => {
    for (const index of [0, undefined]) {
      const [deltas, messages] = ['delta', 'message'].map((name) =>
        [{ content: words }, call].map((said) => ({ index, [name]: said, finish_reason: 'tool_calls' })),
      );
      const streamed = toEvents([{ choices: deltas, usage: counted }], 'data: [DONE]\n\n');
      const plain = JSON.stringify({ choices: messages, usage: counted });
      for (const [body, isStreamed] of [
        [plain, false],
        [streamed, true],
      ] as const) {
        const { text, source, tokens } = await ask('/chat/completions', 'openai', body, isStreamed);
        expect({ source, tokens }).toEqual({ source: 'reported', tokens: [25, 60] });
        expect(text).toContain(words);
        expect(text).toContain('glimmer');
        expect(text).not.toMatch(/\},\{"index":/);
      }
    }
  });

  it('is one choice alone where a provider streams several by turns', async () => {
    const turn = (content: string) =>
      [0, 1, 2].map((index) => ({ choices: [{ index, delta: { content: `${content}${index} ` } }] }));
    const roles = [2, 0, 1].map((index) => ({ choices: [{ index, delta: { role: 'assistant', content: '' } }] }));
    const ended = [0, 1, 2].map((index) => ({ choices: [{ index, delta: {}, finish_reason: 'stop' }] }));
    const body = toEvents([...roles, ...turn('glow'), ...turn('glimmer'), ...ended], 'data: [DONE]\n\n');
    const { text, source } = await ask('/chat/completions', 'openai', body, true);
    expect(text.match(/gl(?:ow|immer)\d/g)).toEqual(['glow0', 'glimmer0']);
    expect(source).toBe('estimated');
  });
});
