import { answerContext } from '../../test/answer-context.js';
import { shortUsage } from '../../test/provider-contracts/gemini-answers.js';
import type { ChatDelta } from '../chat-types.js';
import type { UpstreamEvent } from '../provider-adapter.js';
import { parseGeminiResponse } from './gemini-response.js';
import { GeminiStreamParser } from './gemini-stream.js';
import { readGeminiUsage } from './gemini-usage.js';

const context = { ...answerContext, providerId: 'gemini' };
const failure = expect.objectContaining({ code: 'provider_error' });
const stumble = expect.objectContaining({ code: 'model_error', innerReason: 'finishReason MALFORMED_FUNCTION_CALL' });

interface Step {
  readonly parts?: readonly object[];
  readonly finishReason?: string;
  readonly usage?: object;
}

function toText({ parts, finishReason, usage }: Step): string {
  return JSON.stringify({ candidates: [{ content: { parts }, finishReason }], usageMetadata: usage });
}

/** Reads a stream that ends as HTTP ends one. */
function read(...steps: Step[]) {
  const parser = new GeminiStreamParser(context);
  const events: UpstreamEvent[] = steps.flatMap((step) => [...parser.push({ name: null, data: toText(step) })]);
  const isWholeIfCut = parser.isWhole;
  events.push(...parser.end());
  const choices = events.flatMap((event) => (event.type === 'chunk' ? event.chunk.choices : []));
  const deltas: ChatDelta[] = choices.map(({ delta }) => delta);
  return {
    events,
    deltas,
    reasons: choices.map((choice) => choice.finish_reason),
    isWhole: parser.isWhole,
    isWholeIfCut,
  };
}

function readPlain(step: Step) {
  const events = parseGeminiResponse(toText(step), context);
  const completion = events.find((event) => event.type === 'completion')?.completion;
  return completion?.choices[0];
}

const text = (words: string) => ({ text: words });
const call = (name = 'f') => ({ functionCall: { name, args: {} } });

describe('candidates', () => {
  it.each([[[0]], [{}], ['0'], [null]])('whose number is %j are the first one', (index) => {
    const parser = new GeminiStreamParser(context);
    const words = [index, 0, undefined].flatMap((number) => {
      const candidate = { index: number, content: { parts: [{ text: 'Hi' }] } };
      return parser.push({ name: null, data: JSON.stringify({ candidates: [candidate] }) });
    });
    expect(words.map(({ type }) => type)).toEqual(['chunk', 'chunk', 'chunk']);
  });

  it('beyond the first one are left out, since none of them was asked for', () => {
    const parser = new GeminiStreamParser(context);
    const words = [1, 0, 1, 2].flatMap((index) => {
      const candidate = { index, content: { parts: [{ text: `of ${index}` }] } };
      return parser.push({ name: null, data: JSON.stringify({ candidates: [candidate] }) });
    });
    // It is told of once that more were made.
    expect(words.map((event) => (event.type === 'chunk' ? event.chunk.choices[0] : event.type))).toMatchObject([
      { index: 0, delta: { content: 'of 1' } },
      'unasked',
      { index: 0, delta: { content: 'of 1' } },
    ]);
  });
});

describe('parts', () => {
  it('join without anything between them, thoughts apart, and calls wherever they stand', () => {
    const parts = [
      text('a'),
      { text: 'x', thought: true },
      text('b\n'),
      call(),
      { text: 'y', thought: true },
      text('c'),
    ];
    expect(readPlain({ parts, finishReason: 'STOP' })?.message).toEqual({
      role: 'assistant',
      content: 'ab\nc',
      refusal: null,
      reasoning_content: 'xy',
      tool_calls: [{ id: 'call_1_0', type: 'function', function: { name: 'f', arguments: '{}' } }],
    });
    expect(read({ parts }).deltas).toMatchObject([{ role: 'assistant', content: 'ab\nc', reasoning_content: 'xy' }]);
  });

  it('become pictures where they are, and nothing where no client has a use for them', () => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }, { executableCode: { code: '1' } }, 7, null];
    expect(readPlain({ parts: parts as object[], finishReason: 'STOP' })?.message).toMatchObject({
      content: null,
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }],
    });
  });

  it('number calls through the whole stream, and give each an id of its own', () => {
    const { deltas } = read({ parts: [call('a'), call('b')] }, { parts: [call('c')] });
    const calls = deltas.flatMap((delta) => delta.tool_calls ?? []);
    expect(calls.map(({ index, id, function: target }) => [index, id, target?.name])).toEqual([
      [0, 'call_1_0', 'a'],
      [1, 'call_1_1', 'b'],
      [2, 'call_1_2', 'c'],
    ]);
  });

  it('keep a thought’s signature on the call that it came with', () => {
    const signed = { ...call(), thoughtSignature: 'c2ln' };
    const extra_content = { google: { thought_signature: 'c2ln' } };
    expect(read({ parts: [signed] }).deltas).toMatchObject([{ tool_calls: [{ extra_content }] }]);
    expect(readPlain({ parts: [signed], finishReason: 'STOP' })?.message).toMatchObject({
      tool_calls: [{ extra_content }],
    });
  });

  it('keep the arguments of a call that come as text', () => {
    const parts = [{ functionCall: { name: 'f', args: '{"a":1}' } }];
    expect(readPlain({ parts, finishReason: 'STOP' })?.message.tool_calls).toMatchObject([
      { function: { name: 'f', arguments: '{"a":1}' } },
    ]);
  });

  it('are refused where a call comes in pieces, which was not asked for', () => {
    expect(() => read({ parts: [{ functionCall: { name: 'f', partialArgs: [] } }] })).toThrow(failure);
  });

  it('of other candidates are left alone', () => {
    const candidates = [{ content: { parts: [text('a')] }, finishReason: 'STOP' }, { content: { parts: [text('b')] } }];
    const events = parseGeminiResponse(JSON.stringify({ candidates }), context);
    expect(events).toMatchObject([{ type: 'unasked' }, { completion: { choices: [{ message: { content: 'a' } }] } }]);
  });
});

describe('the end of an answer', () => {
  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
    ['IMAGE_RECITATION', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
    ['UNEXPECTED_TOOL_CALL', 'stop'],
    ['TOO_MANY_TOOL_CALLS', 'stop'],
    ['OTHER', 'stop'],
    ['FINISH_REASON_UNSPECIFIED', 'stop'],
    ['NO_IMAGE', 'stop'],
    ['INVENTED_LATER', 'stop'],
  ])('%s after some words is %s', (finishReason, expected) => {
    expect(read({ parts: [text('a')] }, { finishReason }).reasons).toEqual([null, expected]);
    expect(readPlain({ parts: [text('a')], finishReason })?.finish_reason).toBe(expected);
  });

  it.each([['STOP'], ['OTHER'], ['FUNCTION_CALL'], ['MALFORMED_FUNCTION_CALL']])(
    '%s is a wish for tools when a call came before, however long ago',
    (finishReason) => {
      expect(read({ parts: [call()] }, { parts: [text('')], finishReason }).reasons).toEqual([null, 'tool_calls']);
    },
  );

  it('is a failure where the model made an invalid tool call and had said nothing', () => {
    const finishReason = 'MALFORMED_FUNCTION_CALL';
    expect(() => readPlain({ finishReason })).toThrow(stumble);
    expect(() => read({ parts: [{ text: 'x', thought: true }] }, { finishReason })).toThrow(stumble);
  });

  it('comes once, and only then is the answer whole', () => {
    expect(read({ parts: [text('a')] }).isWhole).toBe(false);
    const { reasons, isWhole } = read({ parts: [text('a')], finishReason: 'STOP' }, { finishReason: 'STOP' });
    expect({ reasons, isWhole }).toEqual({ reasons: [null, 'stop'], isWhole: true });
  });

  it('loses nothing that follows it, and is none where output follows it without a reason', () => {
    const { deltas, events, isWhole } = read(
      { parts: [text('a')], finishReason: 'STOP' },
      { parts: [text('b')] },
      { usage: shortUsage },
    );
    expect(deltas.map(({ content }) => content)).toEqual(['a', 'b']);
    expect(events.at(-1)).toMatchObject({ type: 'usage', usage: { outputTokens: 7 } });
    expect(isWhole).toBe(false);
  });

  it('is told once, behind everything, by a model that writes STOP on every event', () => {
    const finishReason = 'STOP';
    const { deltas, reasons, isWhole } = read(
      { parts: [text('Let me look. ')], finishReason },
      { parts: [call()], finishReason, usage: shortUsage },
    );
    expect(deltas).toMatchObject([{ content: 'Let me look. ' }, { tool_calls: [{ index: 0 }] }, {}]);
    expect({ reasons, isWhole }).toEqual({ reasons: [null, null, 'tool_calls'], isWhole: true });
    expect(read({ parts: [text('a')], finishReason }, { finishReason: 'MAX_TOKENS' }).reasons).toEqual([
      null,
      'length',
    ]);
  });

  it.each([
    ['STOP on every event', [{ parts: [text('a')], finishReason: 'STOP' }], false],
    ['empty events with STOP before its words', [{ finishReason: 'STOP' }, { parts: [text('a')] }], false],
    ['STOP behind words without it', [{ parts: [text('a')] }, { parts: [text('b')], finishReason: 'STOP' }], true],
    ['STOP on an event of its own', [{ parts: [call()] }, { finishReason: 'STOP', usage: shortUsage }], true],
    ['another reason', [{ parts: [text('a')], finishReason: 'MAX_TOKENS' }], true],
  ] as const)(
    'is believed of a connection that breaks only where it can be nothing else: %s',
    (_name, steps, isWhole) => {
      expect(read(...steps).isWholeIfCut).toBe(isWhole);
    },
  );

  it('is what a plain answer must have', () => {
    expect(() => readPlain({ parts: [text('a')] })).toThrow(failure);
    expect(() => parseGeminiResponse('{"usageMetadata":{"promptTokenCount":1}}', context)).toThrow(failure);
  });

  it('says the word for a blocked prompt only where it is one', () => {
    const blocked = (blockReason: string) => {
      const events = parseGeminiResponse(JSON.stringify({ promptFeedback: { blockReason } }), context);
      return JSON.stringify(events);
    };
    expect(blocked('PROHIBITED_CONTENT')).toContain('Provider gemini blocked this prompt (PROHIBITED_CONTENT).');
    expect(blocked('see project 1029')).toContain('Provider gemini blocked this prompt.');
  });

  it('does not come of `[DONE]`, which Google never writes', () => {
    const parser = new GeminiStreamParser(context);
    expect(parser.push({ name: null, data: '[DONE]' })).toEqual([]);
    expect([parser.isEnded, parser.isWhole]).toEqual([false, false]);
  });
});

describe('the role', () => {
  it('is said once', () => {
    const { deltas } = read({ parts: [text('a')] }, { parts: [text('b')] }, { finishReason: 'STOP' });
    expect(deltas.map(({ role }) => role)).toEqual(['assistant', undefined, undefined]);
  });
});

describe('usage', () => {
  const whole = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

  it('counts thoughts as output and what tools read as input', () => {
    expect(
      readGeminiUsage({ ...whole, thoughtsTokenCount: 7, toolUsePromptTokenCount: 3, totalTokenCount: 25 }),
    ).toEqual({
      inputTokens: 13,
      cachedInputTokens: null,
      cacheWriteInputTokens: null,
      outputTokens: 12,
      reasoningTokens: 7,
    });
  });

  it('bills nothing of a total above its parts, since thoughts stand in a count of their own', () => {
    expect(readGeminiUsage({ ...whole, totalTokenCount: 40 })?.outputTokens).toBe(5);
    expect(readGeminiUsage({ ...whole, thoughtsTokenCount: 7, totalTokenCount: 29 })?.outputTokens).toBe(12);
  });

  it.each([[{ totalTokenCount: 1e12 }], [{ totalTokenCount: '15' }], [{ cachedContentTokenCount: -1 }]])(
    'leaves out alone what is odd and bills nothing: %j',
    (odd) => {
      expect(readGeminiUsage({ ...whole, ...odd })).toEqual(readGeminiUsage(whole));
    },
  );

  it('takes a count that is left out for none', () => {
    expect(readGeminiUsage({ promptTokenCount: 10, totalTokenCount: 10 })).toMatchObject({ outputTokens: 0 });
    expect(readGeminiUsage({ promptTokenCount: 10 })).toMatchObject({ inputTokens: 10, outputTokens: 0 });
  });

  it.each([
    [undefined],
    [null],
    [[]],
    [{}],
    [{ ...whole, promptTokenCount: undefined }],
    [{ ...whole, promptTokenCount: '10' }],
    [{ ...whole, candidatesTokenCount: -1 }],
    [{ ...whole, thoughtsTokenCount: 0.5 }],
  ])('is nothing when it reads %j', (raw) => {
    expect(readGeminiUsage(raw)).toBeNull();
  });

  it('counts up through a stream, so the last that is complete counts', () => {
    const { events } = read(
      { parts: [text('a')], usage: { promptTokenCount: 10, candidatesTokenCount: 1 } },
      { parts: [text('b')], usage: { candidatesTokenCount: 3 } },
      { parts: [text('c')], usage: whole, finishReason: 'STOP' },
    );
    const counts = events.flatMap((event) => (event.type === 'usage' ? [event.usage.outputTokens] : []));
    expect(counts).toEqual([1, 5]);
    expect(events.map(({ type }) => type)).toEqual(['usage', 'chunk', 'chunk', 'usage', 'chunk', 'chunk']);
  });
});

describe('usage that comes alone', () => {
  const early = { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1, totalTokenCount: 11 } };

  it('is not said to count what a later event brings', () => {
    const parser = new GeminiStreamParser(context);
    const push = (data: object) => parser.push({ name: null, data: JSON.stringify(data) });
    const words = { candidates: [{ content: { parts: [text('Hi')] } }] };
    expect(push(early)).toEqual([{ type: 'usage', usage: expect.objectContaining({ outputTokens: 1 }) }]);
    expect(push(words)).toEqual([expect.objectContaining({ type: 'chunk' })]);
    expect(push({ ...words, ...early })[0]).toMatchObject({ type: 'usage', isOfNextChunk: true });
  });
});

describe('what cannot be read', () => {
  it.each([['no JSON'], ['7'], ['[]'], ['null'], ['{}'], ['']])('is an error of the provider: %j', (body) => {
    expect(() => parseGeminiResponse(body, context)).toThrow(failure);
  });
});
