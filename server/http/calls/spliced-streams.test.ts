import fc from 'fast-check';
import { AppError } from '../../kernel/app-error.js';
import { ServerSentEventDecoder } from '../../providers/answers/server-sent-events.js';
import { OpenAiStreamParser } from '../../providers/openai-compatible/openai-compatible-stream.js';
import { PlainEvents } from '../../providers/openai-compatible/plain-events.js';
import type { UpstreamEvent } from '../../providers/provider-adapter.js';
import { UsageMeter } from '../../proxy/metering/usage-meter.js';
import { ChatAnswer } from '../../wires/chat/chat-answer.js';

// FUZZ_STREAMS=10000 tries as many; FUZZ_SEED repeats a run.
const streamCount = Number(process.env.FUZZ_STREAMS ?? 300);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

const context = {
  ...{ providerId: 'acme', publicModel: 'a "model"', answerId: 'call_1', createdSeconds: 99 },
  choicesAsked: 2,
};
const counter = { count: async (texts: readonly string[]) => texts.map(({ length }) => length) };

interface Way {
  readonly parser: OpenAiStreamParser;
  readonly write: (chunk: Extract<UpstreamEvent, { type: 'chunk' }>['chunk']) => string;
}

/** Everything that a stream comes to: the bytes that leave, what is metered, and how it broke off. */
async function read(pieces: readonly Buffer[], { parser, write }: Way): Promise<object> {
  const decoder = new ServerSentEventDecoder(10_000);
  const meter = new UsageMeter({
    request: { model: 'a-model', messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 50 },
    ...{ promptTokensMax: 9, imageTokensMax: 0, hiddenPromptTokensMax: 0, heldMillicredits: 500 },
  } as unknown as ConstructorParameters<typeof UsageMeter>[0]);
  let told = '';
  let failure: unknown = null;
  try {
    const take = (upstreamEvents: readonly UpstreamEvent[]) => {
      for (const upstreamEvent of upstreamEvents) {
        meter.observe(upstreamEvent, 1);
        if (upstreamEvent.type === 'chunk') told += write(upstreamEvent.chunk);
      }
    };
    for (const piece of [...pieces, null])
      for (const event of piece === null ? decoder.end() : decoder.push(piece)) take(parser.push(event));
    take(parser.end());
  } catch (error) {
    failure = error instanceof AppError ? error.code : error;
  }
  const used = await meter.countUsageAfter('interrupted', counter, { findUnseenTokensPerMs: () => 0, endedAtMs: 2 });
  const { isEnded, isWhole } = parser;
  return { told, failure, used, finish: meter.finishReason, bytes: meter.outputBytes, isEnded, isWhole };
}

function readFast(pieces: readonly Buffer[], wantsUsageChunk: boolean): Promise<object> {
  const answer = new ChatAnswer({ dialect: { usesFunctions: false, customTools: new Set() }, wantsUsageChunk });
  return read(pieces, { parser: new OpenAiStreamParser(context), write: (chunk) => answer.toEvents(chunk) });
}

function readSlowly(pieces: readonly Buffer[]): Promise<object> {
  return read(pieces, {
    parser: new OpenAiStreamParser(context, { plainEvents: { learn: () => {}, read: () => null } }),
    write: (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
  });
}

const words = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(' the', 'a', ' sky', 'é', '😀', '', ' w12', '\u2028', 'stop') },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('"', '\\', '\n', '\ud800', '"}}]', '","content":"x', '\u0000', '\u007f') },
);

/** How a provider writes an event with words: the same way all the time, mostly. */
const forms: readonly ((content: string) => string)[] = [
  (content) =>
    JSON.stringify({ id: 'x', created: 1, choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  (content) =>
    `{"choices":[{"delta":{"role":"assistant","content":${JSON.stringify(content)}},"index":0,"logprobs":null}],"usage":null, "system_fingerprint":"fp","object":"x" }`,
  // Twice the same field, and the words in several places.
  (content) =>
    `{"choices":[{"delta":{"content":"first","content":${JSON.stringify(content)}}}],"content":${JSON.stringify(content)}}`,
  (content) => `{"choices":[{"delta":{"content":${JSON.stringify(content)},"content":"last"}}]}`,
  (content) => `{"choices":[{"text":"","delta":{"content":${JSON.stringify(content)}},"x":[1]}],"obfuscation":"y"}`,
  (content) =>
    `{"choices":[{"delta":{"content":${JSON.stringify(content).replace('a', '\\u0061').replace('/', '\\/')}}}]}`,
  (content) => JSON.stringify({ choices: [{ index: 1, delta: { content, reasoning_content: content } }], n: 1.0 }),
  (content) => `{"__proto__":{"a":1},"choices":[{"delta":{"content":${JSON.stringify(content)}}}]}`,
];

const others = fc.constantFrom(
  '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  '{"choices":[{"index":0,"delta":{"content":"end"},"finish_reason":"length"}]}',
  '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}',
  '{"choices":[{"index":0,"delta":{"content":"u"}}],"usage":{"prompt_tokens":3,"completion_tokens":4}}',
  '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]}}]}',
  '{"choices":[{"index":0,"delta":{"content":"one"}},{"index":1,"delta":{"content":"two"}}]}',
  '{"choices":[{"index":0,"delta":{"reasoning_content":"Hm"}}]}',
  '{"error":{"message":"broken"}}',
  '{"choices":[{"index":0,"delta":{"content":"torn',
  '[DONE]',
  '',
);

const stream = fc
  .tuple(
    fc.array(fc.nat(forms.length - 1), { minLength: 1, maxLength: 2 }),
    fc.array(
      fc.oneof(
        { weight: 12, arbitrary: fc.record({ content: words, form: fc.nat() }) },
        { weight: 1, arbitrary: fc.record({ data: others, isError: fc.boolean() }) },
      ),
      { maxLength: 40 },
    ),
  )
  .map(([used, events]) =>
    events
      .map((event) => {
        if ('data' in event) return `${event.isError ? 'event: error\n' : ''}data: ${event.data}\n\n`;
        return `data: ${forms[used[event.form % used.length] ?? 0]?.(event.content)}\n\n`;
      })
      .join(''),
  );

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

describe(`Streams whose events are spliced, seed ${seed}`, () => {
  it('leave as the very bytes, and are metered as the very counts, that parsing and writing each event comes to', async () => {
    await fc.assert(
      fc.asyncProperty(stream, fc.array(fc.nat(), { maxLength: 20 }), fc.boolean(), async (text, cuts, wantsUsage) => {
        const pieces = cutAt(Buffer.from(text), cuts);
        expect(await readFast(pieces, wantsUsage)).toEqual(await readSlowly(pieces));
      }),
      { numRuns: streamCount, seed },
    );
  });

  it('does without parsing for events that only bring words', () => {
    const events = new PlainEvents();
    let readCount = 0;
    const plainEvents: Pick<PlainEvents, 'learn' | 'read'> = {
      learn: (data, chunk) => events.learn(data, chunk),
      read: (data) => {
        const chunk = events.read(data);
        if (chunk !== null) readCount += 1;
        return chunk;
      },
    };
    const parser = new OpenAiStreamParser(context, { plainEvents });
    for (const content of ['One', ' two', ' thr\u00e9e', ' "four"']) {
      parser.push({ name: null, data: forms[0]?.(content) ?? '' });
    }
    expect(readCount).toBe(2);
  });
});
