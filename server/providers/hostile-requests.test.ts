import { mock } from 'node:test';
import { toAnthropicConversation } from './anthropic/anthropic-messages.js';
import type { ChatMessage, ChatRequest, ToolCall } from './chat-types.js';
import { findBase64 } from './data-url.js';
import { sampleOfSchema } from './demo/sample-of-schema.js';
import { toGeminiBody } from './gemini/gemini-request.js';
import { InnerJson } from './json-object.js';

// Each of these took minutes, all memory or the whole stack.
const question: ChatMessage = { role: 'user', content: 'Hi' };
const call = (id: string, text = '{}'): ToolCall => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: text },
});

describe('the translation of what a caller wrote', () => {
  it('gives thousands of calls of one id an id each, in one step for each', () => {
    const rounds = Array.from({ length: 5_000 }, (): ChatMessage[] => [
      { role: 'assistant', tool_calls: [call('same')] },
      { role: 'tool', tool_call_id: 'same', content: 'x' },
    ]);
    const lookUps = mock.method(Set.prototype, 'has');
    const { messages } = toAnthropicConversation({ model: 'm', messages: [question, ...rounds.flat()] });
    const steps = lookUps.mock.callCount();
    lookUps.mock.restore();
    const ids = messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_use' ? block.id : [])),
    );
    expect(new Set(ids).size).toBe(5_000);
    expect(steps).toBeLessThan(20_000);
  });

  it('keeps ids apart that look like the ones it makes', () => {
    const messages: ChatMessage[] = ['a', 'a_2', 'a', 'a_2', 'a'].flatMap((id): ChatMessage[] => [
      { role: 'assistant', tool_calls: [call(id)] },
      { role: 'tool', tool_call_id: id, content: 'x' },
    ]);
    const translated = toAnthropicConversation({ model: 'm', messages: [question, ...messages] }).messages;
    const ids = translated.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_use' ? block.id : [])),
    );
    expect(new Set(ids).size).toBe(5);
  });

  const bombs: readonly (readonly [string, string])[] = [
    ['of ten million numbers', `[${'1,'.repeat(5_000_000)}1]`],
    ['of a hundred thousand levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['of a hundred thousand levels as an object', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ];

  it.each(bombs)('passes arguments %s on as the text that they are, to either provider', (_, text) => {
    const request: ChatRequest = {
      model: 'm',
      messages: [
        question,
        { role: 'assistant', tool_calls: [call('a', text)] },
        { role: 'tool', tool_call_id: 'a', content: '1' },
      ],
    };
    const sent = [
      JSON.stringify(toAnthropicConversation(request)),
      JSON.stringify(toGeminiBody(request, 'gemini-2.5-pro')),
    ];
    for (const json of sent) expect(json).toContain('_raw');
  });

  it.each(bombs)('passes a tool’s answer %s on as the text that it is', (_, text) => {
    const messages: ChatMessage[] = [
      question,
      { role: 'assistant', tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content: text },
    ];
    const body = toGeminiBody({ model: 'm', messages }, 'gemini-2.5-pro');
    expect(JSON.stringify(body)).toContain(JSON.stringify({ output: text }));
  });

  it('bounds the JSON in all texts of one request together', () => {
    const inner = new InnerJson();
    const text = JSON.stringify(Array.from({ length: 10_000 }, () => 1));
    expect([inner.parse(text), inner.parse(text), inner.parse(text)].map(Array.isArray)).toEqual([true, true, false]);
    expect(inner.parse('{"a":[1]}')).toEqual({ a: [1] });
  });

  it('takes the address of an image apart whatever stands in its head', () => {
    const data = 'A'.repeat(1_000_000);
    expect(findBase64(`data:image/png;a=b;base64,${data}`)).toEqual({ mediaType: 'image/png', data });
    expect(findBase64(`data:image/png${';a'.repeat(5_000_000)}`)).toBeNull();
    expect(findBase64(`data:image/png${';a'.repeat(5_000_000)};base64,AA`)).toBeNull();
  });

  const describeSchema = (parameters: Record<string, unknown>, count = 1): ChatRequest => ({
    model: 'm',
    messages: [question],
    tools: Array.from({ length: count }, (_, index) => ({
      type: 'function',
      function: { name: `f${index}`, parameters },
    })),
  });
  // A family of Google's that takes no references, so that they are written out.
  const writeOut = (request: ChatRequest) => toGeminiBody(request, 'gemini-2.0-flash');

  it.each([
    [
      'a chain of ten thousand references',
      describeSchema({
        $defs: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`d${n}`, { $ref: `#/$defs/d${n + 1}` }])),
        properties: { a: { $ref: '#/$defs/d0' } },
      }),
    ],
    [
      'a thousand references to ten thousand keywords',
      describeSchema({
        $defs: { wide: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`x${n}`, 1])) },
        anyOf: Array.from({ length: 1_000 }, () => ({ $ref: '#/$defs/wide' })),
      }),
    ],
    [
      'a hundred tools that each write five hundred references out',
      describeSchema(
        {
          $defs: { node: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } } },
          properties: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`p${n}`, { $ref: '#/$defs/node' }])),
        },
        100,
      ),
    ],
  ])('refuses %s', (_, request) => {
    expect(() => writeOut(request)).toThrow(expect.objectContaining({ code: 'unsupported_parameter' }));
  });

  it('makes a bounded sample of a schema in which each level requires a hundred of the next', () => {
    const nest = (levels: number): Record<string, unknown> => ({
      type: 'object',
      required: Array.from({ length: 100 }, (_, n) => `p${n % 50}`),
      properties:
        levels === 0 ? {} : Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`p${n}`, inner(levels)])),
    });
    const known = new Map<number, Record<string, unknown>>();
    const inner = (levels: number) => {
      const schema = known.get(levels) ?? nest(levels - 1);
      known.set(levels, schema);
      return schema;
    };
    expect(JSON.stringify(sampleOfSchema(nest(8), 'x')).length).toBeLessThan(10_000);
  });
});
