import { createServer, type Server } from 'node:http';
import { AppError } from '../kernel/app-error.js';
import { generousTimeouts, readAll, targetAt } from '../test/fake-upstream-caller.js';
import { disguisedValues, findValues } from '../test/hostile-bodies.js';
import { closeServer, listenLocally, urlOf } from '../test/local-server.js';
import { pullEvents } from '../test/pull-events.js';
import { anthropicAdapter } from './anthropic/anthropic-adapter.js';
import { UpstreamClient } from './call-upstream.js';
import { providerCatalogue } from './catalogue.js';
import { geminiAdapter } from './gemini/gemini-adapter.js';
import type { ProviderAdapter } from './provider-adapter.js';

const openAiAdapter = providerCatalogue.find(({ id }) => id === 'openai')?.adapter as ProviderAdapter;
const call = { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
const openAiUsage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };
const anthropicUsage = { input_tokens: 11, output_tokens: 3 };
const geminiAnswer = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { text: 'Hi', thought: true, thoughtSignature: 'AAAA' },
          { text: 'Hello' },
          { functionCall: { id: 'c1', name: 'f', args: { a: 'b' } } },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        ],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 3, totalTokenCount: 14 },
  modelVersion: 'm',
  responseId: 'r',
};

const plainAnswers: readonly (readonly [string, ProviderAdapter, object])[] = [
  [
    'an OpenAI-compatible provider',
    openAiAdapter,
    {
      ...{ id: 'x', object: 'chat.completion', model: 'm', system_fingerprint: 's' },
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: 'no', reasoning_content: 'Hm', tool_calls: [call] },
          finish_reason: 'tool_calls',
        },
      ],
      usage: openAiUsage,
    },
  ],
  [
    'Anthropic',
    anthropicAdapter,
    {
      ...{ id: 'x', type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use', stop_sequence: 's' },
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 'AAAA' },
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 'c1', name: 'f', input: { a: 'b' } },
      ],
      usage: anthropicUsage,
    },
  ],
  ['Gemini', geminiAdapter, geminiAnswer],
];

const streams: readonly (readonly [string, ProviderAdapter, readonly object[]])[] = [
  [
    'an OpenAI-compatible provider',
    openAiAdapter,
    [
      { id: 'x', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello', reasoning_content: 'Hm' } }] },
      { id: 'x', choices: [{ index: 0, delta: { tool_calls: [call] } }] },
      { id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      { id: 'x', choices: [], usage: openAiUsage },
    ],
  ],
  [
    'Anthropic',
    anthropicAdapter,
    [
      { type: 'message_start', message: { id: 'x', usage: anthropicUsage } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'AAAA' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c1', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
      { type: 'content_block_stop', index: 2 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
      { type: 'message_stop' },
    ],
  ],
  ['Gemini', geminiAdapter, [geminiAnswer]],
];

/** The same text with a disguised value in the place of each value in turn. */
function disguise(json: string): string[] {
  return findValues(json).flatMap(({ from, to }) =>
    disguisedValues.map((disguised) => json.slice(0, from) + disguised + json.slice(to)),
  );
}

describe('An answer with an object where a text or a number belongs, in any place of it', () => {
  let server: Server;
  let answer = { type: '', body: '' };
  const client = new UpstreamClient({ timeouts: generousTimeouts });
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(200, { 'content-type': answer.type }).end(answer.body));
    });
    await listenLocally(server);
  });
  afterAll(async () => {
    await client.close();
    await closeServer(server);
  });

  async function findPlainErrors(adapter: ProviderAdapter, isStream: boolean, bodies: readonly string[]) {
    const target = { ...targetAt(urlOf(server)), adapter };
    const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }], stream: isStream };
    const found: string[] = [];
    for (const body of bodies) {
      answer = { type: isStream ? 'text/event-stream' : 'application/json', body };
      const { error } = await readAll(pullEvents(client, { target, request, signal: null }));
      if (error !== null && !(error instanceof AppError)) found.push(`${error} for ${body}`);
    }
    return found;
  }

  it.each(plainAnswers)('is read or refused as unreadable, plain, of %s', async (_, adapter, whole) => {
    expect(await findPlainErrors(adapter, false, disguise(JSON.stringify(whole)))).toEqual([]);
  });

  it.each(streams)('is read or refused as unreadable, streamed, of %s', async (_, adapter, events) => {
    const whole = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    expect(await findPlainErrors(adapter, true, disguise(whole))).toEqual([]);
    // The same in the place of a plain answer.
    expect(await findPlainErrors(adapter, false, disguise(whole))).toEqual([]);
  });
});
