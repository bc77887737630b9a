import { mock } from 'node:test';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { askOnWires, modelsOfDialects, ToldUpstream } from '../../test/told-upstream.js';
import { ChatAnswer } from '../../wires/chat/chat-answer.js';
import { CompletionsAnswer } from '../../wires/completions/completions-answer.js';
import { MessagesAnswer } from '../../wires/messages/messages-answer.js';
import { ResponsesAnswer } from '../../wires/responses/responses-answer.js';

/** All kinds of output that an OpenAI-compatible provider writes, each alone. */
const kinds: Readonly<Record<string, object>> = {
  'a text': { content: 'A glimmer' },
  'a refusal': { content: null, refusal: 'A glimmer' },
  'thinking under its newer name': { content: null, reasoning_content: 'A glimmer' },
  'thinking under its other name': { content: '', reasoning: 'A glimmer' },
  'thinking in details': { content: '', reasoning_details: [{ type: 'reasoning.text', text: 'A glimmer' }] },
  'a call of a tool': { content: null, tool_calls: [{ id: 'a', function: { name: 'glimmer', arguments: '{}' } }] },
  'a call in the form before tools': { content: null, function_call: { name: 'glimmer', arguments: '{}' } },
  'an image': { content: null, images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,glimmer' } }] },
  'an image by its address alone': {
    content: null,
    images: [{ type: 'image_url', image_url: 'https://a.example/glimmer' }],
  },
  'an image in another form': { content: null, images: [{ b64_json: 'glimmer' }] },
  'an image that is a text': { content: null, images: ['glimmer'] },
  'thinking in parts': { content: null, reasoning: [{ type: 'text', text: 'A glimmer' }] },
  'a custom call': {
    content: null,
    tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'f', input: 'A glimmer' } }],
  },
  'an old call as a text': { content: null, function_call: 'glimmer' },
  'what nobody lists': { content: null, hologram: 'A glimmer' },
};

/** The same with nothing in it. */
const nothings: Readonly<Record<string, object>> = {
  'a text': { content: '' },
  'a refusal': { content: null, refusal: '' },
  thinking: { content: null, reasoning_content: '', reasoning: '' },
  'thinking in details': { content: null, reasoning_details: [{ type: 'reasoning.text', text: '' }] },
  'a call of a tool': { content: null, tool_calls: [{}] },
  'a call of a tool with its marks': {
    ...{ content: null, tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: '', arguments: '' } }] },
  },
  'a call in the form before tools': { content: null, function_call: { name: '', arguments: '' } },
  'an image': { content: null, images: [{ type: 'image_url', image_url: { url: '' } }] },
  'what nobody lists': { content: null, hologram: { says: '' } },
};

function toAnswer(message: object, reason: string, isStreamed: boolean): string {
  if (!isStreamed) return JSON.stringify({ id: 'u', choices: [{ index: 0, message, finish_reason: reason }] });
  const pieces = [
    { index: 0, delta: { role: 'assistant', ...message } },
    { index: 0, delta: {}, finish_reason: reason },
  ];
  return `${pieces.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\n\n`).join('')}data: [DONE]\n\n`;
}

const each = (said: Readonly<Record<string, object>>) =>
  Object.entries(said).flatMap(([kind, message]) => [false, true].map((stream) => [kind, stream, message] as const));

const manyDetails = Array.from({ length: 150_000 }, () => ({}));
const answersOfWires = [ChatAnswer, CompletionsAnswer, MessagesAnswer, ResponsesAnswer];

describeOnEachDatabase('A whole answer', (openTestDatabase) => {
  const upstream = ToldUpstream.forAll();
  const app = TestApp.forAll(openTestDatabase, () => upstream.settings);
  const account = app.accountForAll(500);

  async function ask(wire: string, message: object, reason: string, isStreamed: boolean, more: object = {}) {
    upstream.reply = { body: toAnswer(message, reason, isStreamed), isStreamed };
    const body = { ...askOnWires[wire]?.(modelsOfDialects.openai), ...(isStreamed ? { stream: true } : {}), ...more };
    const response = await app.call(account.secret, body, wire);
    const text = await response.text();
    const id = response.headers.get('x-generation-id');
    const [receipt] = await app.query(`SELECT * FROM call_record WHERE call_id = '${id}'`);
    return { wire, reason, text, charged: Number(receipt?.charged_millicredits) };
  }

  it.each(each(kinds))(
    'of one kind of output alone reaches its caller on every wire, for it is charged: %s, streamed: %s',
    async (_, isStreamed, message) => {
      for (const wire of Object.keys(askOnWires)) {
        for (const reason of ['stop', 'length']) {
          const { charged, ...seen } = await ask(wire, message, reason, isStreamed);
          expect(seen).toEqual({ ...seen, text: expect.stringContaining('glimmer') });
          expect(charged).toBeGreaterThan(1);
        }
      }
    },
  );

  it.each(each({ 'thoughts in a hundred thousand details': { content: 'A glimmer', reasoning_details: manyDetails } }))(
    'with more in one list than a call of a function takes reaches its caller on every wire: %s, streamed: %s',
    async (_, isStreamed, message) => {
      for (const wire of Object.keys(askOnWires)) {
        const cap = { model: 'gpt-5-mini', [wire === '/responses' ? 'max_output_tokens' : 'max_tokens']: 128_000 };
        const { charged, text } = await ask(wire, message, 'stop', isStreamed, cap);
        expect([wire, text.includes('glimmer'), charged > 1]).toEqual([wire, true, true]);
      }
    },
  );

  it.each([false, true])(
    'that we cannot put into the words of its caller’s wire is free, streamed: %s',
    async (isStreamed) => {
      const fail = () => {
        throw new Error('cannot be written');
      };
      for (const answer of answersOfWires) {
        mock.method(answer.prototype, 'toBody', fail);
        mock.method(answer.prototype, 'toEvents', fail);
      }
      try {
        for (const wire of Object.keys(askOnWires)) {
          const { charged, text } = await ask(wire, { content: 'A glimmer' }, 'stop', isStreamed);
          expect([wire, text.includes('glimmer'), charged]).toEqual([wire, false, 0]);
        }
      } finally {
        mock.restoreAll();
      }
    },
  );

  it.each(each(nothings))(
    'with nothing in it is free on every wire: %s, streamed: %s',
    async (_, isStreamed, message) => {
      for (const wire of Object.keys(askOnWires)) {
        for (const reason of ['stop', 'tool_calls']) {
          const { text: __, ...seen } = await ask(wire, message, reason, isStreamed);
          expect(seen).toEqual({ wire, reason, charged: 0 });
        }
      }
    },
  );
});
