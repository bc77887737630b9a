import type { ChatCompletionChunk, FinishReason } from '../providers/chat-types.js';
import type { TokenUsage, UpstreamEvent } from '../providers/provider-adapter.js';
import { UsageMeter } from './usage-meter.js';

const messages = [{ role: 'user', content: 'Hello' }] as const;
const bounds = { promptTokensMax: 400, request: { messages, max_completion_tokens: 1_000 } };

function chunk(
  delta: ChatCompletionChunk['choices'][number]['delta'],
  finishReason: FinishReason | null = null,
): UpstreamEvent {
  return {
    type: 'chunk',
    chunk: {
      id: 'call_x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    },
  };
}

function usage(inputTokens: number, outputTokens: number): UpstreamEvent {
  const tokens: TokenUsage = {
    inputTokens,
    outputTokens,
    cachedInputTokens: null,
    cacheWriteInputTokens: null,
    reasoningTokens: null,
  };
  return { type: 'usage', usage: tokens };
}

function meterAfter(...events: UpstreamEvent[]): UsageMeter {
  const meter = new UsageMeter(bounds);
  for (const event of events) meter.observe(event);
  return meter;
}

const text = chunk({ content: 'x'.repeat(40) });

describe('UsageMeter', () => {
  it('bills a whole answer as the provider reported it, by its last word', () => {
    const meter = meterAfter(text, usage(5, 6), chunk({}, 'stop'), usage(7, 9));
    expect(meter.usageAfter('completed')).toMatchObject({
      source: 'reported',
      tokens: { inputTokens: 7, outputTokens: 9 },
    });
    expect(meter.finishReason).toBe('stop');
  });

  it('bills a blocked prompt as the provider counted it, since nobody generated the words that say so', () => {
    const blocked = meterAfter(usage(11, 0), chunk({ refusal: 'Blocked.' }, 'content_filter'));
    expect(blocked.usageAfter('completed')).toMatchObject({
      source: 'reported',
      tokens: { inputTokens: 11, outputTokens: 0 },
    });
    const refused = meterAfter(usage(11, 0), chunk({ refusal: 'I will not.' }, 'stop'));
    expect(refused.usageAfter('completed').source).toBe('estimated');
  });

  it.each(['completed', 'interrupted', 'abandoned'] as const)(
    'estimates a %s answer without usage, and says so',
    (outcome) => {
      expect(meterAfter(text).usageAfter(outcome)).toMatchObject({
        source: 'estimated',
        tokens: { inputTokens: 100, outputTokens: 10 },
      });
    },
  );

  it.each(['interrupted', 'abandoned'] as const)(
    'bills an answer that was %s after an early count for the prompt of that count and the text that came',
    (outcome) => {
      expect(meterAfter(usage(7, 1), text).usageAfter(outcome)).toMatchObject({
        source: 'estimated',
        tokens: { inputTokens: 7, outputTokens: 10 },
      });
      expect(meterAfter(usage(7, 12), text).usageAfter(outcome)).toMatchObject({
        source: 'estimated',
        tokens: { inputTokens: 7, outputTokens: 12 },
      });
    },
  );

  it('bills the last word of a provider that finished, also when the caller left just then', () => {
    const meter = meterAfter(text, usage(7, 9), chunk({}, 'stop'));
    expect(meter.usageAfter('abandoned')).toMatchObject({ source: 'reported', tokens: { outputTokens: 9 } });
  });

  it('does not believe zeros about an answer that has text', () => {
    expect(meterAfter(text, usage(0, 0)).usageAfter('completed').source).toBe('estimated');
  });

  it('bills nothing for a failed call, whatever the provider reported', () => {
    expect(meterAfter(usage(5, 0)).usageAfter('failed')).toMatchObject({
      source: 'none',
      tokens: { inputTokens: 0, outputTokens: 0 },
    });
  });

  it.each(['completed', 'abandoned'] as const)(
    'bills nothing when a %s call produced and reported nothing',
    (outcome) => {
      const meter = meterAfter(chunk({ role: 'assistant', content: '' }));
      expect(meter.hasOutput).toBe(false);
      expect(meter.usageAfter(outcome).source).toBe('none');
    },
  );

  it.each([
    [
      'a tool call',
      { tool_calls: [{ index: 0, id: 't', type: 'function' as const, function: { name: 'f', arguments: '' } }] },
    ],
    ['reasoning', { reasoning_content: 'hm' }],
    ['a refusal', { refusal: 'no' }],
  ])('counts %s as output', (_, delta) => {
    expect(meterAfter(chunk(delta)).hasOutput).toBe(true);
  });

  describe('with a tokenizer', () => {
    const count = async (texts: readonly string[]) => texts.map((counted) => counted.length);
    const dead = async () => null;

    it('estimates prompt and answer by it, and what is no text by its bound', async () => {
      const { tokens, source } = await meterAfter(text).countUsageAfter('completed', { count });
      expect(source).toBe('estimated');
      expect(tokens).toMatchObject({ inputTokens: 5 + Math.ceil((400 - 5) / 4), outputTokens: 40 });
    });

    it('estimates by bytes when it has too much to do', async () => {
      const meter = meterAfter(text);
      expect(await meter.countUsageAfter('completed', { count: dead })).toEqual(meter.usageAfter('completed'));
      expect(await meter.countOutput({ count: dead })).toBeNull();
    });

    it('does not ask it when the provider has counted', async () => {
      const meter = meterAfter(text, usage(5, 6));
      const count = () => Promise.reject(new Error('asked'));
      expect((await meter.countUsageAfter('completed', { count })).source).toBe('reported');
    });

    it('never goes beyond what was held', async () => {
      const excessive = async () => [1_000_000, 1_000_000];
      const { tokens } = await meterAfter(text).countUsageAfter('completed', { count: excessive });
      expect(tokens).toMatchObject({ inputTokens: 400, outputTokens: 1_000 });
    });

    it('estimates the whole of an answer from its first 64 Ki characters', async () => {
      const meter = meterAfter(...Array.from({ length: 20 }, () => chunk({ content: 'é'.repeat(10_000) })));
      const count = async (texts: readonly string[]) => texts.map(({ length }) => (length === 65_536 ? length / 2 : 0));
      expect(await meter.countOutput({ count })).toBe(100_000);
    });
  });

  it('takes what a provider reports at the start for the prompt, and for the least of an answer that broke off', () => {
    for (const outcome of ['interrupted', 'abandoned'] as const) {
      expect(meterAfter(usage(77, 1), text).usageAfter(outcome)).toMatchObject({
        source: 'estimated',
        tokens: { inputTokens: 77, outputTokens: 10 },
      });
      expect(meterAfter(usage(77, 500), text).usageAfter(outcome).tokens.outputTokens).toBe(500);
    }
  });

  it('bills an answer that it was told was cut at its cap, in full and no further', () => {
    const meter = meterAfter(chunk({ content: 'x'.repeat(100_000) }), usage(7, 25_000));
    meter.cutAtCap();
    expect(meter.finishReason).toBe('length');
    expect(meter.usageAfter('completed')).toMatchObject({
      source: 'estimated',
      tokens: { inputTokens: 7, outputTokens: 1_000 },
    });
  });

  it('counts reasoning once that comes under both of its names', () => {
    const meter = meterAfter(chunk({ reasoning: 'x'.repeat(40), reasoning_content: 'x'.repeat(40) }));
    expect(meter.usageAfter('completed').tokens.outputTokens).toBe(10);
  });

  it('tells the progress of a running call only once there is output', () => {
    expect(meterAfter().progress).toEqual({ promptTokens: 0, completionTokens: 0 });
    expect(meterAfter(text).progress).toEqual({ promptTokens: 100, completionTokens: 10 });
  });
});
