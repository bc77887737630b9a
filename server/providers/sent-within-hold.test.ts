import fc from 'fast-check';
import { findPromptTokensMax } from '../pricing/estimate-maximum-cost.js';
import { toAnthropicConversation } from './anthropic/anthropic-messages.js';
import type { ChatMessage, ChatRequest } from './chat-types.js';
import { toGeminiBody } from './gemini/gemini-request.js';

/** JSON as somebody may spell it: numbers in all ways, escapes where none are needed, blanks, a key twice. */
const digits = fc.stringMatching(/^[1-9]\d{0,24}$/);
const number = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(digits, fc.constantFrom('0', '1', '9')),
    fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,24}$/)),
    exponent: fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,3}$/), fc.constantFrom('e20', 'E-6', 'e21')),
  })
  .map(({ sign, whole, fraction, exponent }) => `${sign}${whole}${fraction}${exponent}`);
const character = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom('\\u00e9', '\\ud83d\\ude00', '\\/', '\\u0041', '\\b', '\\u0008', '\\u2028', '1e20', ',1e20', ': 2E9'),
);
const text = fc.array(character, { maxLength: 8 }).map((characters) => `"${characters.join('')}"`);
const blank = fc.constantFrom('', ' ', '\n', '\t ');
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(number, text, fc.constantFrom('true', 'false', 'null')),
    fc.tuple(blank, fc.array(tie('value'), { maxLength: 6 })).map(([gap, items]) => `[${items.join(`${gap},${gap}`)}]`),
    fc
      .tuple(blank, fc.array(fc.tuple(fc.oneof(text, fc.constantFrom('"a"', '"1"', '"__proto__"')), tie('value'))))
      .map(([gap, members]) => `{${members.map(([name, item]) => `${name}${gap}:${gap}${item}`).join(',')}}`),
  ),
}));
const object = fc.array(value, { maxLength: 6 }).map((items) => `{"a":[${items.join(',')}]}`);

const question: ChatMessage = { role: 'user', content: 'Hi' };
const talk = (words: string, answer: string): ChatRequest => ({
  model: 'm',
  messages: [
    question,
    { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: words } }] },
    { role: 'tool', tool_call_id: 'a', content: answer },
  ],
});
/** What is held for these words alone. */
const heldFor = (words: string, answer: string) =>
  findPromptTokensMax(talk(words, answer)) - findPromptTokensMax(talk('', ''));
const bytesOf = (sent: unknown) => Buffer.byteLength(JSON.stringify(sent));

interface Call {
  readonly functionCall: { readonly args: unknown };
}
interface Result {
  readonly functionResponse: { readonly response: { readonly output: unknown } };
}

describe('What goes upstream of JSON in texts', () => {
  it('to Anthropic is never longer than what is held for it', () => {
    fc.assert(
      fc.property(object, (words) => {
        const { messages } = toAnthropicConversation(talk(words, 'ok'));
        const call = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_use'))[0];
        expect(bytesOf((call as { input?: unknown }).input)).toBeLessThanOrEqual(heldFor(words, ''));
      }),
      { numRuns: 500 },
    );
  });

  it('to Google is never longer than what is held for it, of calls and of their results', () => {
    fc.assert(
      fc.property(object, object, (words, answer) => {
        const parts = toGeminiBody(talk(words, answer), 'gemini-2.5-pro').contents.flatMap((turn) => [...turn.parts]);
        const [, { functionCall }, { functionResponse }] = parts as unknown as [object, Call, Result];
        expect(bytesOf(functionCall.args)).toBeLessThanOrEqual(heldFor(words, ''));
        expect(bytesOf(functionResponse.response.output)).toBeLessThanOrEqual(heldFor('', answer));
      }),
      { numRuns: 500 },
    );
  });

  it('is held for to the last digit where 24,000 numbers grow from 5 bytes to 22', () => {
    const words = `{"a":[${Array(24_000).fill('1e20').join(',')}]}`;
    const { messages } = toAnthropicConversation(talk(words, 'ok'));
    expect(JSON.stringify(messages)).toContain('100000000000000000000,');
    expect(heldFor(words, '')).toBeGreaterThan(24_000 * 22);
    expect(heldFor('{"a":[10,2.5,"1e20 e5","3e5"]}', '')).toBe(30);
  });

  it('holds for the name of a tool as often as it is told with a result', () => {
    const name = 'n'.repeat(1_000);
    const call = { id: 'a', type: 'function', function: { name, arguments: '{}' } } as const;
    const results = Array.from({ length: 50 }, (): ChatMessage => ({ role: 'tool', tool_call_id: 'a', content: 'x' }));
    const request = {
      model: 'm',
      messages: [question, { role: 'assistant', tool_calls: [call] }, ...results],
    } as const;
    const told = JSON.stringify(toGeminiBody(request, 'gemini-2.5-pro')).split(name).length - 1;
    expect(findPromptTokensMax(request)).toBeGreaterThanOrEqual(told * name.length);
  });
});
