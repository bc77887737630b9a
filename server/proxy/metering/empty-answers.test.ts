import type { ChatCompletionChunk, FinishReason } from '../../providers/chat-types.js';
import type { UpstreamEvent } from '../../providers/provider-adapter.js';
import { UsageMeter } from './usage-meter.js';

const identity = { id: 'c', created: 1, model: 'm' } as const;

function chunk(
  delta: ChatCompletionChunk['choices'][number]['delta'],
  finishReason: FinishReason | null = null,
): UpstreamEvent {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return { type: 'chunk', chunk: { ...identity, object: 'chat.completion.chunk', choices } };
}

function plain(message: object, finishReason: FinishReason): UpstreamEvent {
  const whole = { role: 'assistant', content: null, refusal: null, ...message } as const;
  const choices = [{ index: 0, message: whole, logprobs: null, finish_reason: finishReason }];
  return { type: 'completion', completion: { ...identity, object: 'chat.completion', choices } };
}

function usage(inputTokens: number, outputTokens: number): UpstreamEvent {
  const unknown = { cachedInputTokens: null, cacheWriteInputTokens: null, reasoningTokens: null };
  return { type: 'usage', usage: { inputTokens, outputTokens, ...unknown } };
}

/** What is charged at the end, of a model that reasons unseen. */
function billAfter(outcome: 'completed' | 'abandoned', events: readonly UpstreamEvent[]) {
  const request = { messages: [{ role: 'user', content: 'Hello' }] as const, max_completion_tokens: 1_000 };
  const meter = new UsageMeter({ promptTokensMax: 400, imageTokensMax: 0, hiddenPromptTokensMax: 0, request });
  meter.noteSent(1_000);
  for (const event of events) meter.observe(event, 2_000);
  const counter = { count: async (texts: readonly string[]) => texts.map(({ length }) => Math.ceil(length / 4)) };
  return meter.countUsageAfter(outcome, counter, { unseenTokensPerMs: 0.2, endedAtMs: 3_000 });
}

describe('The bill of a whole answer in which nothing was made', () => {
  const free = { source: 'none', parts: null, tokens: { inputTokens: 0, outputTokens: 0 } };
  const role = chunk({ role: 'assistant', content: '' });
  const filtered = chunk({}, 'content_filter');
  const beside = (event: UpstreamEvent) => ({ ...event, isOfNextChunk: true }) as UpstreamEvent;
  const text = chunk({ content: 'x'.repeat(40) });

  it.each<[string, readonly UpstreamEvent[]]>([
    ['empty', [role, chunk({}, 'stop'), usage(25, 0)]],
    ['plain and empty', [usage(25, 0), plain({ content: '' }, 'stop')]],
    ['empty, whose end counts nothing after a first guess', [usage(25, 1), role, usage(25, 0), chunk({}, 'stop')]],
    ['empty, whose end reports no usage after a first guess', [usage(25, 3), role, chunk({}, 'stop')]],
    ['empty, with a guess beside its first piece', [beside(usage(25, 1)), role, chunk({}, 'stop')]],
    ['empty, that nobody counted', [role, chunk({}, 'stop')]],
    ['held back by a filter', [role, filtered, usage(25, 0)]],
    ['a prompt that was blocked, in our words', [usage(25, 0), chunk({ refusal: 'Blocked.' }, 'content_filter')]],
    ['a plain one in our words', [usage(25, 0), plain({ refusal: 'Blocked.' }, 'content_filter')]],
    ['held back in words before the end', [role, chunk({ refusal: 'No. ' }), filtered, usage(25, 0)]],
    ['held back in words that nobody counted', [chunk({ refusal: 'No. ' }), chunk({ refusal: 'No.' }), filtered]],
  ])('charges nothing, also for the prompt: %s', async (_, events) => {
    for (const outcome of ['completed', 'abandoned'] as const) {
      expect(await billAfter(outcome, events)).toMatchObject(free);
    }
  });

  it.each<[string, readonly UpstreamEvent[], object]>([
    ['hidden reasoning', [role, chunk({}, 'stop'), usage(25, 40)], { source: 'reported' }],
    ['one token that was counted at the end', [usage(25, 1), role, usage(25, 1), chunk({}, 'stop')], {}],
    ['one token of a plain answer', [usage(25, 1), plain({ content: '' }, 'stop')], { source: 'reported' }],
    ['one token counted with its end', [role, beside(usage(25, 1)), chunk({}, 'stop')], { source: 'reported' }],
    ['one token counted after its end', [role, chunk({}, 'stop'), usage(25, 1), chunk({})], { source: 'reported' }],
    ['more than a guess counts', [usage(25, 17), role, chunk({}, 'stop')], { source: 'reported' }],
    ['a refusal of the model', [usage(11, 0), chunk({ refusal: 'I will not.' }, 'stop')], { source: 'estimated' }],
    ['words before a filter', [role, text, filtered, usage(25, 0)], { source: 'estimated' }],
    ['a call', [chunk({ tool_calls: [{ index: 0, function: { name: 'f' } }] }, 'tool_calls')], {}],
    ['an image', [chunk({ images: [{ type: 'image_url' }] }, 'stop'), usage(25, 0)], { source: 'estimated' }],
    ['reasoning', [chunk({ reasoning_content: 'Hm' }), filtered, usage(25, 0)], { source: 'estimated' }],
    ['vectors', [{ type: 'embeddings', vectors: [], model: 'm' } as never, usage(25, 0)], { source: 'reported' }],
  ])('is not said of one with %s', async (_, events, more) => {
    const bill = await billAfter('completed', events);
    expect(bill).toMatchObject(more);
    expect(bill.tokens.inputTokens).toBeGreaterThan(0);
  });
});
