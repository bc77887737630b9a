import type { ChatCompletionChunk, ChatDelta, ChunkChoice } from '../chat-types.js';
import { exactStop } from '../chat-types.js';
import type { TokenUsage, UpstreamEvent } from '../provider-adapter.js';
import { AnswerJoiner } from './join-answer.js';

const bounds = { providerId: 'acme', bytesMax: 1_000, limits: { valuesMax: 100, levelsMax: 10 } };
const head = { id: 'call_1', object: 'chat.completion.chunk' as const, created: 99, model: 'public-name' };

const chunkOf = (delta: ChatDelta, more: Partial<ChunkChoice> = {}, fields: object = {}): UpstreamEvent => {
  const choice = { index: 0, delta, logprobs: null, finish_reason: null, ...more };
  const chunk: ChatCompletionChunk = { ...head, ...fields, choices: [choice] };
  return { type: 'chunk', chunk };
};
const usageOf = (outputTokens: number, isOfNextChunk = false): UpstreamEvent => {
  const usage: TokenUsage = {
    inputTokens: 11,
    cachedInputTokens: null,
    cacheWriteInputTokens: null,
    outputTokens,
    reasoningTokens: null,
  };
  return { type: 'usage', usage, ...(isOfNextChunk ? { isOfNextChunk } : {}) };
};
const end = chunkOf({}, { finish_reason: 'stop' });

function join(...events: readonly UpstreamEvent[]) {
  const joiner = new AnswerJoiner(bounds);
  for (const event of events) joiner.take(event);
  const finished = joiner.finish() ?? [];
  const completion = finished.find((event) => event.type === 'completion')?.completion;
  const usage = finished.find((event) => event.type === 'usage')?.usage;
  return { completion, choice: completion?.choices[0], message: completion?.choices[0]?.message, usage, finished };
}

describe('The pieces of a stream that nobody asked for', () => {
  it('are one plain answer, its count first', () => {
    const words = [
      chunkOf({ role: 'assistant', content: '' }),
      chunkOf({ content: 'Hel' }),
      chunkOf({ content: 'lo' }),
    ];
    const { finished } = join(
      ...words,
      chunkOf({}, { finish_reason: 'length' }, { system_fingerprint: 'fp' }),
      usageOf(2),
    );
    const message = { role: 'assistant', content: 'Hello', refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'length' }];
    expect(finished).toEqual([
      expect.objectContaining({ type: 'usage' }),
      {
        type: 'completion',
        completion: { ...head, object: 'chat.completion', system_fingerprint: 'fp', choices },
      },
    ]);
  });

  it('keep calls of tools, thoughts, refusals, images, log probabilities and the exact stop', () => {
    const call = (index: number, text: string, open: object = {}) => ({
      index,
      ...open,
      function: { arguments: text },
    });
    const open = (id: string, name: string) => ({ id, type: 'function' as const, function: { name, arguments: '' } });
    const image = { type: 'image_url', image_url: { url: 'data:,' } };
    const { message, choice } = join(
      chunkOf({ reasoning_content: 'Hm' }),
      chunkOf({ reasoning_content: ', so', reasoning_details: [{ text: 'a' }] }),
      chunkOf({ refusal: 'N', images: [image], reasoning_details: [{ text: 'b' }] }),
      chunkOf(
        { refusal: 'o', tool_calls: [{ index: 0, ...open('a', 'f') }] },
        { logprobs: { content: [1], refusal: null } },
      ),
      chunkOf(
        { tool_calls: [call(0, '{"x"'), { index: 1, ...open('b', 'g') }, call(1, '{}')] },
        { logprobs: { content: [2] } },
      ),
      chunkOf({ tool_calls: [call(0, ':1}')] }),
      chunkOf({}, { finish_reason: 'tool_calls', [exactStop]: { reason: 'context_full' } }),
    );
    expect(message).toEqual({
      role: 'assistant',
      content: null,
      refusal: 'No',
      reasoning_content: 'Hm, so',
      reasoning_details: [{ text: 'a' }, { text: 'b' }],
      images: [image],
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
      ],
    });
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', logprobs: { content: [1, 2] } });
    expect(choice?.[exactStop]).toEqual({ reason: 'context_full' });
  });

  it('are apart by their choices, in the order of their numbers', () => {
    const { completion } = join(
      chunkOf({ content: 'b' }, { index: 1 }),
      chunkOf({ content: 'a' }),
      chunkOf({ content: 'B' }, { index: 1, finish_reason: 'length' }),
      end,
    );
    expect(
      completion?.choices.map(({ index, message, finish_reason }) => [index, message.content, finish_reason]),
    ).toEqual([
      [0, 'a', 'stop'],
      [1, 'bB', 'length'],
    ]);
  });

  it.each([
    ['behind all', [chunkOf({ content: 'a' }), end, usageOf(5)], 5],
    ['beside the last words', [usageOf(4, true), chunkOf({ content: 'a' }), end], 4],
    ['before the end alone', [chunkOf({ content: 'a' }), usageOf(5), end], 5],
    ['first a guess, then less', [usageOf(9), chunkOf({ content: 'a' }), end, usageOf(5)], 5],
    ['then zeros', [chunkOf({ content: 'a' }), end, usageOf(5), usageOf(0)], 5],
    ['before the words alone', [usageOf(1), chunkOf({ content: 'a' }), end], undefined],
    ['never', [chunkOf({ content: 'a' }), end], undefined],
  ])('have the count that is of all of them, or none: %s', (_, events, outputTokens) => {
    expect(join(...events).usage?.outputTokens).toBe(outputTokens);
  });

  it('are refused where they are more than a plain answer may be', () => {
    const joiner = new AnswerJoiner(bounds);
    joiner.noteBytes(1_000);
    expect(() => joiner.noteBytes(1)).toThrow(expect.objectContaining({ code: 'provider_error' }));
    const many = chunkOf({ annotations: Array.from({ length: 40 }, () => 1) });
    expect(() => join(many, many, many)).toThrow(expect.objectContaining({ code: 'provider_error' }));
    expect(new AnswerJoiner(bounds).finish()).toBeNull();
  });
});
