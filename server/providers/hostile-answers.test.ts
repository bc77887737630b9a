import { createServer, type Server, type ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Secret } from '../kernel/secret.js';
import { closeServer, listenLocally, portOf } from '../test/local-server.js';
import { pullEvents } from '../test/pull-events.js';
import { anthropicAdapter } from './anthropic/anthropic-adapter.js';
import { UpstreamClient } from './call-upstream.js';
import { providerCatalogue } from './catalogue.js';
import type { ChatRequest } from './chat-types.js';
import { geminiAdapter } from './gemini/gemini-adapter.js';
import type { HttpTarget, ProviderAdapter, UpstreamEvent } from './provider-adapter.js';

const timeouts = { connectMs: 5_000, firstByteMs: 30_000, idleMs: 30_000, totalMs: 60_000 };
const openai = providerCatalogue.find(({ id }) => id === 'openai')?.adapter as ProviderAdapter;
const mebibyte = 1024 * 1024;
// A stand-still of minutes is what these would be without bounds; a busy machine is no reason to fail.
const holdMsMax = 2_000;

describe('What a provider may answer', () => {
  let server: Server;
  let answer: (response: ServerResponse) => void;
  let client: UpstreamClient;
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      request.on('end', () => answer(response));
    });
    await listenLocally(server);
    client = new UpstreamClient({ timeouts });
  });
  afterAll(async () => {
    await client.close();
    await closeServer(server);
  });

  /** Calls, and says what came of it, how long the loop stood still and how much memory was taken. */
  async function call(isStream: boolean, adapter = openai, asked: Partial<ChatRequest> = {}) {
    const port = portOf(server);
    const target: HttpTarget = {
      ...{ kind: 'http', providerId: 'p', upstreamModel: 'm', apiKey: new Secret('k') },
      ...{ adapter, baseUrl: `http://127.0.0.1:${port}` },
    };
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: isStream, ...asked } as const;
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const memory = process.memoryUsage.rss();
    const events: UpstreamEvent[] = [];
    let code: string | null = null;
    try {
      for await (const event of pullEvents(client, { target, request, signal: null })) {
        if (events.length < 5_000) events.push(event);
      }
    } catch (error) {
      code = (error as { code?: string }).code ?? String(error);
    }
    delay.disable();
    return { code, events, holdMs: delay.max / 1e6, tookMebibytes: (process.memoryUsage.rss() - memory) / mebibyte };
  }

  const sendJson = (json: string) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(json);
  };
  const sendEvents = (text: string) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
  };
  const many = (count: number, text: string) => Array(count).fill(text).join(',');
  const toDelta = (delta: string, index = 0) => `data: {"choices":[{"index":${index},"delta":${delta}}]}\n\n`;
  const toCall = (index: number) => `{"index":${index},"id":"c${index}","function":{"name":"f","arguments":""}}`;

  it.each([
    ['a million choices', `{"choices":[${many(1_000_000, '{}')}]}`],
    ['a million tool calls', `{"choices":[{"message":{"content":"x","tool_calls":[${many(1_000_000, '1')}]}}]}`],
    ['thirty million numbers', `{"choices":[${many(15_000_000, '1')}]}`],
  ])('a plain answer of %s is refused before it is parsed', async (_, json) => {
    answer = sendJson(json);
    const { code, holdMs } = await call(false);
    expect(code).toBe('provider_error');
    expect(holdMs).toBeLessThan(holdMsMax);
  });

  it.each([
    ['an event of a million choices', `data: {"choices":[${many(1_000_000, '{}')}]}\n\n`],
    ['an event of a million tool calls', toDelta(`{"tool_calls":[${many(400_000, '{}')}]}`)],
    [
      'a million deltas of ever new tool calls',
      Array.from({ length: 50_000 }, (__, index) => toDelta(`{"tool_calls":[${toCall(index)}]}`)).join(''),
    ],
    [
      'one event of ever new tool calls',
      toDelta(`{"tool_calls":[${Array.from({ length: 12_000 }, (__, index) => toCall(index)).join(',')}]}`),
    ],
    ['ever new choices', Array.from({ length: 50_000 }, (__, index) => toDelta('{"content":"x"}', index)).join('')],
    ['lines of data without text', 'data:\n'.repeat(4_000_000)],
    ['one comment of 20 MB', `:${'x'.repeat(20 * mebibyte)}`],
    ['comments without end', ': ping\n\n'.repeat(3_000_000)],
    ['carriage returns', '\r'.repeat(20 * mebibyte)],
    ['an unknown field of 20 MB', `${'x'.repeat(20 * mebibyte)}\n`],
  ])('a stream of %s is broken off', async (title, text) => {
    answer = sendEvents(text);
    const { code, holdMs, tookMebibytes } = await call(true);
    // Each call can be read: it is the model that does not end.
    expect(code).toBe(title.endsWith('ever new tool calls') ? 'model_error' : 'provider_error');
    expect(holdMs).toBeLessThan(holdMsMax);
    expect(tookMebibytes).toBeLessThan(1_024);
  });

  it('blocks that are never closed break a stream of Anthropic’s off', async () => {
    const open = (index: number) =>
      `data: {"type":"content_block_start","index":${index},"content_block":{"type":"text","text":""}}\n\n`;
    answer = sendEvents(Array.from({ length: 5_000 }, (_, index) => open(index)).join(''));
    expect((await call(true, anthropicAdapter)).code).toBe('provider_error');
  });

  it.each([
    ['a million lines', 'x: y\r\n'.repeat(1_000_000)],
    ['one line of 20 MB', `x: ${'y'.repeat(20 * mebibyte)}\r\n`],
  ])('a head of %s is refused', async (_, lines) => {
    answer = (response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\n${lines}content-length: 2\r\n\r\n{}`);
    };
    const { code, holdMs } = await call(false);
    expect(code).toBe('provider_error');
    expect(holdMs).toBeLessThan(holdMsMax);
  });

  it('a long answer of few values is still an answer', async () => {
    const content = 'x'.repeat(8 * mebibyte);
    answer = sendJson(JSON.stringify({ choices: [{ message: { content }, finish_reason: 'stop' }] }));
    const { code, events } = await call(false);
    expect(code).toBeNull();
    expect(events.map(({ type }) => type)).toEqual(['completion']);
  });

  const nest = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
  const parts = (json: string) => `{"candidates":[{"content":{"parts":[${json}]},"finishReason":"STOP"}]}`;
  const input = (json: string) =>
    `{"content":[{"type":"tool_use","id":"t","name":"f","input":{"a":${json}}}],"stop_reason":"tool_use"}`;
  const native = (json: string) => parts(`{"functionCall":{"name":"f","args":{"a":${json}}}}`);
  const words = (json: string) =>
    `{"choices":[{"message":{"content":"x","tool_calls":[{"function":{"name":"f","arguments":{"a":${json}}}}]},"x":${json}}]}`;

  it.each([130, 5_000, 100_000])(
    'arguments %d levels deep arrive, and what lies too deep is text in them',
    async (levels) => {
      for (const [adapter, toJson] of [
        [anthropicAdapter, input],
        [geminiAdapter, native],
        [openai, words],
      ] as const) {
        for (const isStream of adapter === geminiAdapter ? [false, true] : [false]) {
          answer = isStream ? sendEvents(`data: ${toJson(nest(levels))}\n\n`) : sendJson(toJson(nest(levels)));
          const { code, events, holdMs } = await call(isStream, adapter);
          // Gemini's stream tells its end on its own.
          expect([code, events.length]).toEqual([null, isStream ? 2 : 1]);
          const told = /"arguments":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(events))?.[1] ?? '';
          const args = JSON.stringify(JSON.parse(JSON.parse(`"${told}"`)));
          expect(args.replaceAll('"[', '[').replaceAll(']"', ']')).toBe(`{"a":${nest(levels)}}`);
          expect(holdMs).toBeLessThan(holdMsMax);
        }
      }
    },
  );

  it('an answer with 20 alternatives for each of 2,500 tokens of 10 bytes is still an answer', async () => {
    const one = { token: 'привет', logprob: -12.345_678_9, bytes: Array.from({ length: 12 }, () => 208) };
    const token = { ...one, top_logprobs: Array.from({ length: 20 }, () => one) };
    const choice = { message: { content: 'x' }, logprobs: { content: Array.from({ length: 2_500 }, () => token) } };
    answer = sendJson(JSON.stringify({ choices: [choice] }));
    const asked = { logprobs: true, top_logprobs: 20, max_completion_tokens: 2_500 };
    expect((await call(false, openai, asked)).code).toBeNull();
    answer = sendJson(`{"choices":[${many(150_000, '1')}]}`);
    expect((await call(false, openai, { max_completion_tokens: 100 })).code).toBe('provider_error');
  });

  const openAiCalls = (calls: readonly number[]) => {
    const tool_calls = calls.map((n) => ({ id: `c${n}`, function: { name: 'f', arguments: '{}' } }));
    return { choices: [{ message: { tool_calls }, finish_reason: 'tool_calls' }] };
  };
  const claudeCalls = (calls: readonly number[]) => {
    const content = calls.map((n) => ({ type: 'tool_use', id: `c${n}`, name: 'f', input: {} }));
    return { type: 'message', role: 'assistant', content, stop_reason: 'tool_use' };
  };
  const geminiCalls = (calls: readonly number[]) => {
    const parts = calls.map((n) => ({ functionCall: { id: `c${n}`, name: 'f', args: {} } }));
    return { candidates: [{ content: { parts }, finishReason: 'STOP' }] };
  };

  it.each<[string, ProviderAdapter, (calls: readonly number[]) => object]>([
    ['OpenAI', openai, openAiCalls],
    ['Anthropic', anthropicAdapter, claudeCalls],
    ['Google', geminiAdapter, geminiCalls],
  ])(
    'a plain answer of more tool calls than any needs is none, as a stream of them is: %s',
    async (_, adapter, write) => {
      const numbers = Array.from({ length: 1_025 }, (__, index) => index);
      answer = sendJson(JSON.stringify(write(numbers)));
      expect((await call(false, adapter)).code).toBe('model_error');
      answer = sendJson(JSON.stringify(write(numbers.slice(1))));
      expect((await call(false, adapter)).code).toBeNull();
    },
  );

  it('a stream with as many tool calls as models make is still an answer, each with its arguments', async () => {
    const calls = Array.from({ length: 128 }, (_, index) => toCall(index));
    const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n';
    answer = sendEvents(calls.map((each) => toDelta(`{"tool_calls":[${each}]}`)).join('') + end);
    const { code, events } = await call(true);
    expect(code).toBeNull();
    expect(events).toHaveLength(129);
  });
});
