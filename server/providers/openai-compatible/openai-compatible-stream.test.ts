import { answerContext as context } from '../../test/answer-context.js';
import type { ChatCompletionChunk, ToolCallDelta } from '../chat-types.js';
import type { UpstreamEvent } from '../provider-adapter.js';
import { OpenAiStreamParser } from './openai-compatible-stream.js';

function parse(...events: (object | string)[]) {
  return parseChoices(1, ...events);
}

function parseChoices(choicesAsked: number, ...events: (object | string)[]) {
  const parser = new OpenAiStreamParser({ ...context, choicesAsked });
  const upstreamEvents = events.flatMap((event) =>
    parser.push({ name: null, data: typeof event === 'string' ? event : JSON.stringify(event) }),
  );
  upstreamEvents.push(...parser.end());
  return { parser, events: JSON.parse(JSON.stringify(upstreamEvents)) as UpstreamEvent[] };
}

function piece(delta: object, finishReason: string | null = null, index = 0): object {
  return { id: 'theirs', created: 1, model: 'their-name', choices: [{ index, delta, finish_reason: finishReason }] };
}

function counts(prompt: number, completion: number): object {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function chunksOf(events: readonly UpstreamEvent[]): ChatCompletionChunk[] {
  return events.flatMap((event) => (event.type === 'chunk' ? [event.chunk] : []));
}

function toolPiecesOf(events: readonly UpstreamEvent[]): ToolCallDelta[] {
  return chunksOf(events).flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
}

describe('OpenAiStreamParser', () => {
  it('gives each chunk under our name, in the official shape, without usage', () => {
    const padding = { obfuscation: 'xx', p: 'abcdefgh' };
    const { events } = parse({ ...piece({ content: 'Hi' }), usage: null, ...padding, x_groq: { id: 'theirs' } });
    expect(events).toEqual([
      {
        type: 'chunk',
        chunk: {
          id: 'call_1',
          object: 'chat.completion.chunk',
          created: 99,
          model: 'public-name',
          choices: [{ index: 0, delta: { content: 'Hi' }, logprobs: null, finish_reason: null }],
        },
      },
    ]);
  });

  it('keeps what a provider adds to a delta', () => {
    const { events } = parse(piece({ reasoning_content: 'Hm' }));
    expect(chunksOf(events)[0]?.choices[0]?.delta).toEqual({ reasoning_content: 'Hm' });
  });

  it('takes a message in the place of a delta, and no message beside one', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
    const choice = {
      index: 0,
      message: { role: 'assistant', content: 'Hi', tool_calls: [call] },
      finish_reason: 'stop',
    };
    expect(chunksOf(parse({ choices: [choice] }).events).flatMap(({ choices }) => choices)).toEqual([
      {
        index: 0,
        delta: { role: 'assistant', content: 'Hi', tool_calls: [{ index: 0, ...call }] },
        logprobs: null,
        finish_reason: null,
      },
      { index: 0, delta: {}, logprobs: null, finish_reason: 'tool_calls' },
    ]);
    const both = { index: 0, delta: { content: ' there' }, message: { content: 'Hi there' }, finish_reason: null };
    expect(chunksOf(parse({ choices: [both] }).events)[0]?.choices[0]?.delta).toEqual({ content: ' there' });
  });

  it('tells thoughts and images of a content in parts apart from its words', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
    const thinking = {
      type: 'thinking',
      thinking: [
        { type: 'text', text: 'Let me ' },
        { type: 'text', text: 'think.' },
      ],
    };
    const { events } = parse(piece({ content: [thinking] }), piece({ content: [{ type: 'text', text: 'Hi' }, image] }));
    expect(chunksOf(events).map(({ choices }) => choices[0]?.delta)).toEqual([
      { content: '', reasoning_content: 'Let me think.' },
      { content: 'Hi', images: [image] },
    ]);
  });

  it('takes the count that stands in the one choice that was asked for, of several none, and tells it to nobody', () => {
    const end = {
      ...piece({}, 'stop'),
      choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: counts(9, 2) }],
    };
    const one = parse(piece({ content: 'Hi' }), end, '[DONE]');
    expect(one.events).toContainEqual({
      type: 'usage',
      usage: expect.objectContaining({ inputTokens: 9, outputTokens: 2 }),
    });
    const two = parseChoices(2, piece({ content: 'Hi' }), piece({ content: 'Ho' }, null, 1), end, '[DONE]');
    expect(two.events.map(({ type }) => type)).not.toContain('usage');
    expect(JSON.stringify([chunksOf(one.events), chunksOf(two.events)])).not.toContain('usage');
  });

  it('takes the text of old completions in the place of a delta, and a number in the place of a text', () => {
    const old = (text: string, reason: string | null) => ({ choices: [{ index: 0, text, finish_reason: reason }] });
    const { events, parser } = parse(old('Hel', null), old('lo', null), old('', 'stop'));
    expect(parser.isWhole).toBe(true);
    expect(chunksOf(events).map(({ choices }) => choices[0]?.delta.content ?? '')).toEqual(['Hel', 'lo', '']);
    expect(JSON.stringify(events)).not.toContain('"text"');
    const beside = { choices: [{ index: 0, text: 'Hel', delta: { content: 'Hel' } }] };
    expect(chunksOf(parse(beside).events)[0]?.choices[0]?.delta).toEqual({ content: 'Hel' });
    expect(chunksOf(parse(piece({ content: 42 })).events)[0]?.choices[0]?.delta).toEqual({ content: '42' });
  });

  it.each(['reasoning_text', 'thinking'])('takes reasoning by the name of %s, once', (name) => {
    const deltaOf = (delta: object) => chunksOf(parse(piece(delta)).events)[0]?.choices[0]?.delta;
    expect(deltaOf({ [name]: 'Hm' })).toEqual({ reasoning_content: 'Hm' });
    expect(deltaOf({ reasoning: 'Hm', [name]: 'Hm' })).toEqual({ reasoning: 'Hm' });
    expect(deltaOf({ content: 'Hi', [name]: '' })).toMatchObject({ content: 'Hi' });
  });

  it('does not let an empty reasoning_content hide what was reasoned', () => {
    const { events } = parse(piece({ reasoning_content: '', reasoning: 'Hm' }), piece({ reasoning_content: '' }));
    expect(chunksOf(events).map(({ choices }) => choices[0]?.delta)).toEqual([
      { reasoning: 'Hm' },
      { reasoning_content: '' },
    ]);
  });

  const usage = { prompt_tokens: 3, completion_tokens: 2 };
  it.each([
    ['a last chunk without choices', [piece({}, 'stop'), { choices: [], usage }]],
    ['the finish chunk', [{ ...piece({}, 'stop'), usage }]],
    ['x_groq', [{ ...piece({}, 'stop'), x_groq: { usage } }]],
    [
      'every chunk, growing',
      [
        { ...piece({}), usage: { prompt_tokens: 3, completion_tokens: 1 } },
        { ...piece({}, 'stop'), usage },
      ],
    ],
  ])('reads usage from %s', (_name, stream) => {
    const { events } = parse(...stream, '[DONE]');
    const reported = events.filter((event) => event.type === 'usage');
    expect(reported.at(-1)).toMatchObject({ usage: { inputTokens: 3, outputTokens: 2 } });
    expect(JSON.stringify(chunksOf(events))).not.toContain('prompt_tokens');
  });

  it.each([[{ prompt_tokens: 1.5, completion_tokens: 2 }], ['many'], [null]])('gives no usage for %j', (nonsense) => {
    expect(parse({ choices: [], usage: nonsense }).events).toEqual([]);
  });

  it('drops a chunk that says nothing, as Azure begins with', () => {
    expect(parse({ choices: [], prompt_filter_results: [] }).events).toEqual([]);
  });

  it('is whole once every choice has finished, even without [DONE]', () => {
    const { parser } = parseChoices(2, piece({ content: 'a' }), piece({ content: 'b' }, null, 1), piece({}, 'stop'));
    expect(parser.isWhole).toBe(false);
    parser.push({ name: null, data: JSON.stringify(piece({}, 'length', 1)) });
    expect(parser.isWhole).toBe(true);
    expect(parser.isEnded).toBe(false);
  });

  it('is not whole while nothing was answered', () => {
    expect(parse({ choices: [] }).parser.isWhole).toBe(false);
    expect(() => parse('[DONE]')).toThrow(expect.objectContaining({ code: 'provider_error' }));
  });

  it('gives nothing after [DONE]', () => {
    const { parser, events } = parse(piece({}, 'stop'), '[DONE]', piece({ content: 'late' }), 'not even JSON');
    expect(parser.isEnded).toBe(true);
    expect(chunksOf(events)).toHaveLength(1);
  });

  it('finishes a choice at [DONE] that its provider did not finish', () => {
    const { parser, events } = parse(piece({ content: 'a' }), '[DONE]');
    expect(chunksOf(events).at(-1)?.choices).toEqual([{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }]);
    expect(parser.isWhole).toBe(true);
  });

  it.each([1, 7, -1])(
    'gives the only choice that was asked for as the first one, which its provider calls %d',
    (index) => {
      const words = ['Hi', ' there', ' you'].map((content) => piece({ content }, null, index));
      const { parser, events } = parse(...words, piece({}, 'stop', index), '[DONE]');
      const seen = chunksOf(events).map(({ choices: [choice] }) => [choice?.index, choice?.delta.content]);
      expect(seen).toEqual([
        [0, 'Hi'],
        [0, ' there'],
        [0, ' you'],
        [0, undefined],
      ]);
      expect(parser.isWhole).toBe(true);
    },
  );

  it('keeps the numbers of two choices that were asked for, whichever comes first, and makes two of 1 and 2', () => {
    const numbersOf = (...indexes: number[]) =>
      chunksOf(parseChoices(2, ...indexes.map((index) => piece({ content: 'a' }, null, index))).events).map(
        ({ choices }) => choices[0]?.index,
      );
    expect(numbersOf(1, 0, 1)).toEqual([1, 0, 1]);
    expect(numbersOf(1, 2, 1)).toEqual([1, 0, 1]);
  });

  it('leaves out the choices that nobody asked for, whatever is in them, and is whole without them', () => {
    const many = Array.from({ length: 100 }, (_, index) => piece({ content: `word ${index}` }, 'stop', index));
    const { parser, events } = parse(...many);
    expect(chunksOf(events).map(({ choices }) => choices[0]?.delta.content)).toEqual(['word 0']);
    expect(parser.isWhole).toBe(true);
    const inOne = { choices: [0, 1, 2].map((index) => ({ index, delta: { content: `${index}` } })) };
    expect(chunksOf(parseChoices(2, inOne).events).flatMap(({ choices }) => choices)).toHaveLength(2);
    const { events: reported } = parse(
      piece({ content: 'a' }),
      { ...piece({ content: 'x' }, 'stop', 1), usage },
      '[DONE]',
    );
    expect(reported.map(({ type }) => type)).toEqual(['chunk', 'unasked', 'usage', 'chunk']);
    // What was made for nobody is told of once, and an empty one not at all.
    expect(events.filter(({ type }) => type === 'unasked')).toHaveLength(1);
    const { events: bare } = parse(piece({ content: 'x' }), piece({ role: 'assistant', content: '' }, 'stop', 1));
    expect(bare.map(({ type }) => type)).toEqual(['chunk']);
  });

  const reasonsOf = (...events: object[]) =>
    chunksOf(parse(...events).events).map(({ choices: [choice] }) => [
      choice?.delta.content ?? choice?.delta.role ?? null,
      choice?.finish_reason,
    ]);

  it.each([
    ['twice at the end', [piece({}, 'stop'), piece({}, 'stop')], [[null, 'stop']]],
    [
      'on each event, the first one too',
      [piece({ role: 'assistant' }, 'stop'), piece({ content: 'a' }, 'stop'), piece({ content: 'b' }, 'stop')],
      [
        ['assistant', null],
        ['a', null],
        ['b', null],
        [null, 'stop'],
      ],
    ],
    [
      'on each event, and another one at the end',
      [piece({ content: 'a' }, 'stop'), piece({ content: 'b' }, 'stop'), piece({}, 'length')],
      [
        ['a', null],
        ['b', null],
        [null, 'length'],
      ],
    ],
    [
      'empty on each event',
      [piece({ content: 'a' }, ''), piece({ content: 'b' }, ''), piece({ content: '' }, 'length'), piece({}, 'stop')],
      [
        ['a', null],
        ['b', null],
        [null, 'length'],
      ],
    ],
    [
      'beside the last words',
      [piece({ content: 'a' }), piece({ content: 'b' }, 'length')],
      [
        ['a', null],
        ['b', null],
        [null, 'length'],
      ],
    ],
  ])(
    'tells why a choice ended once, behind all that came of it, however its provider writes it: %s',
    (_, sent, told) => {
      expect(reasonsOf(...sent)).toEqual(told);
      expect(parse(...sent, '[DONE]').parser.isWhole).toBe(true);
    },
  );

  it('keeps a call of a tool whole whose provider writes a reason on each of its pieces', () => {
    const open = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } };
    const { events } = parse(
      piece({ tool_calls: [open] }, 'tool_calls'),
      piece({ tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] }, 'tool_calls'),
      '[DONE]',
    );
    expect(toolPiecesOf(events)).toEqual([open, { index: 0, function: { arguments: '{"x":1}' } }]);
    expect(chunksOf(events).flatMap(({ choices }) => choices.flatMap((choice) => choice.finish_reason ?? []))).toEqual([
      'tool_calls',
    ]);
  });

  it('tells the last count once more with arguments that are told at the end, so that it is of them, too', () => {
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'f' } };
    const { events } = parse(piece({ tool_calls: [call] }), piece({}, 'stop'), { choices: [], usage }, '[DONE]');
    expect(events.slice(-3)).toMatchObject([
      { type: 'usage' },
      { type: 'usage', isOfNextChunk: true },
      { type: 'chunk' },
    ]);
  });

  it.each([
    'function_call_filter: MALFORMED_FUNCTION_CALL',
    'function_call_filter: UNEXPECTED_TOOL_CALL',
    'MALFORMED_FUNCTION_CALL',
  ])(
    'takes a model of Google’s that made an invalid tool call for no success, but where it had said something: %s',
    (reason) => {
      const stumbled = expect.objectContaining({ code: 'model_error', innerReason: `finish_reason ${reason}` });
      expect(() => parse(piece({}, reason))).toThrow(stumbled);
      expect(() => parse(piece({ role: 'assistant', reasoning_content: 'Hm' }, reason), '[DONE]')).toThrow(stumbled);
      expect(reasonsOf(piece({ content: 'a' }), piece({}, reason))).toEqual([
        ['a', null],
        [null, 'stop'],
      ]);
      const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } };
      expect(reasonsOf(piece({ tool_calls: [call] }), piece({}, reason)).at(-1)).toEqual([null, 'tool_calls']);
    },
  );

  it.each([
    ['an error event', { error: { message: 'org-Tollgate123 failed', code: 'server_error' } }],
    ['an error beside a finish reason', { ...piece({}, 'error'), error: { code: 502, message: 'org-Tollgate123' } }],
    ['a finish reason that means failure', piece({}, 'overloaded_error')],
    ['JSON that was cut', '{"choices": [{"del'],
    ['a text', 'upstream failed'],
    ['a choice that is none', { choices: ['x'] }],
  ])('throws an error of our own words on %s', (_name, event) => {
    expect(() => parse(piece({ content: 'a' }), event)).toThrow(expect.objectContaining({ code: 'provider_error' }));
    expect(() => parse(event)).not.toThrow(/Tollgate123|upstream failed/);
  });

  it('throws on an event that is named error, whatever its data', () => {
    const parser = new OpenAiStreamParser(context);
    expect(() => parser.push({ name: 'error', data: '{"message":"no"}' })).toThrow(
      expect.objectContaining({ code: 'provider_error' }),
    );
  });

  it('passes canonical tool calls on as they are', () => {
    const { events } = parse(
      piece({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] }),
      piece({ tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] }),
      piece({ tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } }] }),
      piece({}, 'tool_calls'),
    );
    expect(toolPiecesOf(events)).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{"x":1}' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
    ]);
  });

  it.each([
    ['all have index 0', 0],
    ['have no index', undefined],
  ])('numbers whole tool calls that %s', (_name, index) => {
    const calls = ['a', 'b'].map((id) => ({ index, id, function: { name: id, arguments: '{}' } }));
    const { events } = parse(piece({ tool_calls: calls }), piece({}, 'stop'));
    expect(toolPiecesOf(events).map((call) => [call.index, call.id])).toEqual([
      [0, 'a'],
      [1, 'b'],
    ]);
    expect(chunksOf(events).at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it('gives a tool call without arguments an empty object, so that it parses', () => {
    const { events } = parse(
      piece({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }] }),
      piece({}, 'stop'),
    );
    expect(
      toolPiecesOf(events)
        .map((call) => call.function?.arguments)
        .join(''),
    ).toBe('{}');
  });

  const called = (...pieces: object[]) => pieces.map((call) => piece({ tool_calls: [call] }));
  const toldOf = (...pieces: object[]) => parse(...called(...pieces), piece({}, 'stop')).events;

  it('tells a call that is named late once, with all that came of its arguments', () => {
    const events = toldOf(
      { index: 0, id: 'a', function: { name: null, arguments: '{"x"' } },
      { index: 0, function: { name: '', arguments: ':' } },
      { index: 0, function: { name: 'f', arguments: '1' } },
      { index: 0, function: { name: 'f', arguments: '}' } },
    );
    expect(chunksOf(events)[0]?.choices[0]?.delta).toEqual({});
    expect(toolPiecesOf(events)).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1' } },
      { index: 0, function: { arguments: '}' } },
    ]);
  });

  it('takes an id that comes late for none of a new call, and gives a call without one an id of its answer', () => {
    const events = toldOf(
      { index: 0, function: { name: 'f', arguments: '{"x"' } },
      { index: 0, id: 'late', function: { arguments: ':1}' } },
      { index: 1, id: 'b', function: { name: 'g' } },
    );
    expect(toolPiecesOf(events).map(({ index, id }) => [index, id])).toEqual([
      [0, 'call_1_0'],
      [0, undefined],
      [1, 'b'],
      [1, undefined],
    ]);
  });

  it('makes no call of a piece that brings neither a name nor arguments', () => {
    const nothing = { index: 0, id: null, function: { name: null, arguments: null } };
    const events = toldOf(nothing, { ...nothing, id: '' });
    expect(toolPiecesOf(events)).toEqual([]);
    expect(chunksOf(events).at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(toolPiecesOf(toldOf({ index: 1, id: 'a', function: { name: 'f' } }, nothing)).map(({ id }) => id)).toEqual([
      'a',
      undefined,
    ]);
  });

  it('leaves arguments that do not parse in the call of their index', () => {
    const events = toldOf(
      { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } },
      { index: 0, function: { arguments: '{"x":1}' } },
      { index: 0, function: { arguments: ', "y": 2}' } },
    );
    expect(toolPiecesOf(events).map((call) => [call.index, call.function?.arguments])).toEqual([
      [0, '{}'],
      [0, '{"x":1}'],
      [0, ', "y": 2}'],
    ]);
  });

  const callsOf = (...deltas: (readonly object[])[]) => {
    const { events } = parse(...deltas.map((calls) => piece({ tool_calls: calls })), piece({}, 'stop'));
    const texts: [string | undefined, string][] = [];
    for (const { index, function: told } of toolPiecesOf(events)) {
      const [name, text] = texts[index] ?? [told?.name, ''];
      texts[index] = [name, text + (told?.arguments ?? '')];
    }
    return texts;
  };
  const bare = (marks: object, text?: string) => ({ ...marks, function: { name: 'f', arguments: text } });

  it.each([
    ['in one delta, with ids of their own', [[bare({ id: 'a' }), bare({ id: 'b' })]]],
    [
      'in one delta, with one index and ids of their own',
      [[bare({ index: 0, id: 'a' }, ''), bare({ index: 0, id: 'b' })]],
    ],
    ['in one delta, without ids', [[bare({}, ''), bare({}, '')]]],
    ['one after the other, with ids of their own', [[bare({ id: 'a' }, '')], [bare({ id: 'b' }, '')]]],
    [
      'one after the other, the second with arguments that are none',
      [[bare({ id: 'a' }, '')], [bare({ id: 'b' }, '{}')]],
    ],
    ['one after the other, with indexes of their own', [[bare({ index: 0 })], [bare({ index: 1 })]]],
  ])('keeps two calls of one function that have no arguments apart: %s', (_, deltas) => {
    expect(callsOf(...deltas)).toEqual([
      ['f', '{}'],
      ['f', '{}'],
    ]);
  });

  it.each([
    // As vLLM streams a call that the caller has forced.
    [
      'an id that is made up for each',
      [
        { index: 0, id: 'a' },
        { index: 0, id: 'b' },
        { index: 0, id: 'c' },
      ],
    ],
    ['one index', [{ index: 0 }, { index: 0 }, { index: 0 }]],
    ['one id', [{ id: 'a' }, { id: 'a' }, { id: 'a' }]],
    ['neither id nor index', [{}, {}, {}]],
  ])('makes one call of pieces that each say its name, with %s, before and after its arguments begin', (_, marks) => {
    const [first = {}, second = {}, third = {}] = marks;
    expect(callsOf([bare(first, '')], [bare(second, '{"x"')], [bare(third, ':1}')])).toEqual([['f', '{"x":1}']]);
  });

  it('tells a call that is never named without a name when its choice finishes, or when too much has come of it', () => {
    const [call, ...more] = toolPiecesOf(toldOf({ index: 0, function: { arguments: '{}' } }));
    expect([call?.function, more]).toEqual([{ name: '', arguments: '{}' }, []]);
    const long = Array.from({ length: 9 }, () => ({ index: 0, function: { arguments: 'x'.repeat(32 * 1024) } }));
    const { events } = parse(...called(...long));
    expect(toolPiecesOf(events)[0]?.function?.arguments).toHaveLength(9 * 32 * 1024);
  });
});
