import { mock } from 'node:test';
import { silentLogger } from '../../kernel/logger.js';
import type { CallOutcome } from '../../ledger/ledger-types.js';
import type { ChatCompletionChunk, FinishReason } from '../../providers/chat-types.js';
import type { TokenUsage, UpstreamEvent } from '../../providers/provider-adapter.js';
import { TokenCounter } from './token-counter.js';
import { UsageMeter } from './usage-meter.js';

const messages = [{ role: 'user', content: 'Hello' }] as const;
const bounds = {
  promptTokensMax: 400,
  imageTokensMax: 0,
  hiddenPromptTokensMax: 0,
  request: { messages, max_completion_tokens: 1_000 },
};

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

/** A meter whose model may reason, whose request went out at 1,000 ms, and that saw these, each a second after the one before. */
function meterAfter(...events: UpstreamEvent[]): UsageMeter {
  const meter = new UsageMeter(bounds);
  meter.noteAttempt(() => true);
  meter.noteSent(1_000);
  events.forEach((event, index) => {
    meter.observe(event, 2_000 + 1_000 * index);
  });
  return meter;
}

// A quarter of a token for each character: of the prompt 'Hello' makes 2, and the frames around it a quarter of 395.
const quarter = { count: async (texts: readonly string[]) => texts.map(({ length }) => Math.ceil(length / 4)) };
const promptTokens = 2 + 99;

const billAfter = (outcome: CallOutcome, meter: UsageMeter, unseenTokensPerMs = 0, counter: Counter = quarter) =>
  meter.countUsageAfter(outcome, counter, { findUnseenTokensPerMs: () => unseenTokensPerMs, endedAtMs: 11_000 });
type Counter = Parameters<UsageMeter['countUsageAfter']>[1];

const text = chunk({ content: 'x'.repeat(40) });

describe('UsageMeter', () => {
  it('bills the count at the end, whatever was counted in the middle that the answer cannot have', async () => {
    const meter = meterAfter();
    meter.noteAttempt(() => false);
    meter.noteSent(1_000);
    for (const event of [text, usage(5, 9_000), text, chunk({}, 'stop'), usage(5, 20)]) meter.observe(event, 2_000);
    expect(await billAfter('completed', meter)).toMatchObject({ source: 'reported', tokens: { outputTokens: 20 } });
  });

  it('counts an old call of a function beside a text as shown', () => {
    const piece = { content: 'Let me look', function_call: { name: 'find', arguments: 'x'.repeat(8_000) } };
    expect(meterAfter(chunk(piece as never, 'stop')).outputBytes).toBe(11 + 4 + 8_000);
  });

  it('bills a whole answer as the provider reported it, by its last word', async () => {
    const meter = meterAfter(text, usage(5, 6), chunk({}, 'stop'), usage(7, 9));
    expect(await billAfter('completed', meter)).toMatchObject({
      source: 'reported',
      parts: null,
      tokens: { inputTokens: 7, outputTokens: 9 },
    });
    expect(meter.finishReason).toBe('stop');
  });

  it.each(['completed', 'interrupted', 'abandoned'] as const)(
    'estimates a %s answer without usage, and says so, with its parts',
    async (outcome) => {
      expect(await billAfter(outcome, meterAfter(text))).toEqual({
        source: 'estimated',
        tokens: expect.objectContaining({ inputTokens: promptTokens, outputTokens: 10 }),
        parts: { promptTokens, imageTokens: 0, visibleTokens: 10, reasoningTokens: 0 },
      });
    },
  );

  it.each(['interrupted', 'abandoned'] as const)(
    'bills an answer that was %s after an early count for the prompt of that count and the text that came, or the count',
    async (outcome) => {
      expect(await billAfter(outcome, meterAfter(usage(77, 1), text))).toMatchObject({
        source: 'estimated',
        tokens: { inputTokens: 77, outputTokens: 10 },
        parts: { promptTokens: 77 },
      });
      expect((await billAfter(outcome, meterAfter(usage(77, 500), text))).tokens.outputTokens).toBe(500);
    },
  );

  it('bills the last word of a provider that finished, also when the caller left just then', async () => {
    const onFinish = meterAfter(text, usage(7, 9), chunk({}, 'stop'));
    const afterIt = meterAfter(text, chunk({}, 'stop'), usage(7, 9));
    for (const meter of [onFinish, afterIt]) {
      expect(await billAfter('abandoned', meter)).toMatchObject({ source: 'reported', tokens: { outputTokens: 9 } });
    }
  });

  it('does not take an early count for the last word because the answer has ended', async () => {
    const meter = meterAfter(usage(7, 1), text, chunk({}, 'stop'));
    expect(await billAfter('abandoned', meter)).toMatchObject({ source: 'estimated', tokens: { outputTokens: 10 } });
  });

  it('does not take an early count for the whole of an answer that went on after it', async () => {
    expect(await billAfter('completed', meterAfter(usage(7, 1), text, chunk({}, 'stop')))).toMatchObject({
      source: 'estimated',
      tokens: { inputTokens: 7, outputTokens: 10 },
    });
  });

  it('bills a count that came early, or with the last words, as reported where it tells of them', async () => {
    const early = meterAfter(usage(7, 10), text, chunk({}, 'stop'));
    const withThem = meterAfter({ ...usage(7, 9), isOfNextChunk: true } as UpstreamEvent, text, chunk({}, 'stop'));
    for (const meter of [early, withThem]) expect((await billAfter('completed', meter)).source).toBe('reported');
  });

  it.each(['interrupted', 'abandoned', 'completed'] as const)(
    'rests no estimate of an answer that was %s on a prompt that cannot be so long, and says what was reported',
    async (outcome) => {
      const meter = meterAfter(usage(400 + 1_025, 1), text);
      expect(await billAfter(outcome, meter)).toMatchObject({
        source: 'estimated',
        tokens: { inputTokens: promptTokens, outputTokens: 10 },
      });
      expect(meter.progress.promptTokens).toBe(1);
      expect(meter.reported).toMatchObject({ inputTokens: 1_425 });
    },
  );

  it('does not believe zeros about an answer that has text', async () => {
    expect((await billAfter('completed', meterAfter(text, usage(0, 0)))).source).toBe('estimated');
  });

  it.each([
    [0, 0],
    [5, 0],
    [0, 3],
  ])('keeps what was counted when the provider ends with %d and %d', async (input, output) => {
    const meter = meterAfter(text, usage(10, 3), usage(input, output));
    expect(await billAfter('completed', meter)).toMatchObject({
      source: 'reported',
      tokens: { inputTokens: 10, outputTokens: 3 },
    });
  });

  it('believes no report of less than the longest tokens make of the text, and estimates, as for zeros', async () => {
    const long = chunk({ content: 'x'.repeat(1_600) });
    const told = chunk({ reasoning_content: 'x'.repeat(1_600) });
    for (const shown of [long, told]) {
      expect(await billAfter('completed', meterAfter(shown, chunk({}, 'stop'), usage(77, 99)))).toMatchObject({
        source: 'estimated',
        tokens: { inputTokens: 77, outputTokens: 400 },
      });
      expect(await billAfter('completed', meterAfter(shown, chunk({}, 'stop'), usage(77, 100)))).toMatchObject({
        source: 'reported',
        tokens: { outputTokens: 100 },
      });
    }
  });

  it('bills few tokens as reported where the tokenizer makes no more of the text, as of a long line', async () => {
    const meter = meterAfter(chunk({ content: '='.repeat(1_600) }), chunk({}, 'stop'), usage(77, 13));
    const long = { count: async (texts: readonly string[]) => texts.map(({ length }) => Math.ceil(length / 128)) };
    expect(await billAfter('completed', meter, 0, long)).toMatchObject({
      source: 'reported',
      tokens: { outputTokens: 13 },
    });
  });

  it.each([
    ['after the end', [text, usage(20, 405), chunk({}, 'stop'), usage(20, 2)]],
    ['after more words', [text, usage(20, 405), text, usage(20, 300), chunk({}, 'stop')]],
    [
      'together with more words',
      [text, usage(20, 405), { ...usage(20, 3), isOfNextChunk: true } as UpstreamEvent, text],
    ],
  ])('bills the larger of two reports, since counts of one answer only grow: the smaller %s', async (_, events) => {
    expect(await billAfter('completed', meterAfter(...events))).toMatchObject({
      source: 'reported',
      tokens: { inputTokens: 20, outputTokens: 405 },
    });
  });

  it('bills the later of two reports where the larger was made before any output', async () => {
    expect(
      await billAfter('completed', meterAfter(usage(25, 30), text, chunk({}, 'stop'), usage(20, 9))),
    ).toMatchObject({
      source: 'reported',
      tokens: { inputTokens: 20, outputTokens: 9 },
    });
  });

  it('bills nothing for a failed call, whatever the provider reported', async () => {
    expect(await billAfter('failed', meterAfter(usage(5, 0)))).toMatchObject({
      source: 'none',
      tokens: { inputTokens: 0, outputTokens: 0 },
    });
  });

  it('bills nothing when a completed call produced and reported nothing', async () => {
    const meter = meterAfter(chunk({ role: 'assistant', content: '' }));
    expect(meter.hasOutput).toBe(false);
    expect((await billAfter('completed', meter)).source).toBe('none');
  });

  it('bills the prompt of a call that was left once its provider had it, and nothing of one that was left before', async () => {
    const before = new UsageMeter(bounds);
    expect((await billAfter('abandoned', before)).source).toBe('none');
    expect(await billAfter('abandoned', meterAfter())).toMatchObject({
      source: 'estimated',
      tokens: { inputTokens: promptTokens, outputTokens: 0 },
    });
    const another = meterAfter();
    another.noteAttempt(() => false);
    expect((await billAfter('abandoned', another)).source).toBe('none');
    expect(await billAfter('abandoned', meterAfter(usage(7, 1)))).toMatchObject({
      source: 'estimated',
      tokens: { inputTokens: 7, outputTokens: 1 },
    });
  });

  it('bills images at their full bound, and nothing of what a provider may put before the prompt', async () => {
    const meter = new UsageMeter({
      ...bounds,
      promptTokensMax: 1_405,
      imageTokensMax: 1_000,
      hiddenPromptTokensMax: 200,
    });
    meter.observe(text, 0);
    expect(await billAfter('abandoned', meter)).toMatchObject({
      tokens: { inputTokens: 1_000 + 2 + 50 },
      parts: { imageTokens: 1_000, promptTokens: 52 },
    });
  });

  it.each([
    [
      'a tool call',
      { tool_calls: [{ index: 0, id: 't', type: 'function' as const, function: { name: 'f', arguments: '' } }] },
    ],
    ['reasoning', { reasoning_content: 'hm' }],
    ['a refusal', { refusal: 'no' }],
    ['an image', { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }] }],
  ])('counts %s as output', (_, delta) => {
    expect(meterAfter(chunk(delta)).hasOutput).toBe(true);
  });

  it('bills images that nobody counted, 1,120 tokens each, and believes a count of them', async () => {
    const images = chunk({ images: [{ type: 'image_url' }, { type: 'image_url' }] });
    const meter = new UsageMeter({ ...bounds, request: { messages, max_completion_tokens: 10_000 } });
    for (const event of [images, chunk({}, 'stop')]) meter.observe(event, 0);
    expect((await billAfter('completed', meter)).tokens.outputTokens).toBe(2_240);
    meter.observe(usage(7, 2_580), 0);
    expect(meter.hasUnseenOutput(true)).toBe(false);
    expect(await billAfter('completed', meter)).toMatchObject({ tokens: { outputTokens: 2_580 }, source: 'reported' });
  });

  it('bills reasoning that was told by its words', async () => {
    const meter = meterAfter(chunk({ reasoning_content: 'r'.repeat(80) }), text);
    expect((await billAfter('abandoned', meter)).parts).toMatchObject({ visibleTokens: 10, reasoningTokens: 20 });
  });

  it('bills reasoning that was not told by the time before the first visible word, at the speed of its model', async () => {
    const seen = meterAfter(chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hi' }), text);
    expect((await billAfter('abandoned', seen, 0.05)).parts).toMatchObject({ visibleTokens: 11, reasoningTokens: 100 });
    const unseen = meterAfter();
    expect((await billAfter('abandoned', unseen, 0.05)).tokens.outputTokens).toBe(500);
    const summed = meterAfter(chunk({ reasoning_content: 'r'.repeat(8) }));
    expect((await billAfter('abandoned', summed, 0.05)).parts).toMatchObject({ reasoningTokens: 500 });
  });

  describe('of a whole answer that nobody counted, of a model that may reason', () => {
    const words = 'x'.repeat(1_600);
    const pieces = Array.from({ length: 40 }, () => words.slice(0, 40));
    const wholeCall = { id: 't', type: 'function' as const, function: { name: 'f', arguments: words.slice(1) } };
    const pictures = chunk({ images: [{ type: 'image_url' }] });
    // The request goes out at 1,000 ms, and 400 tokens take two seconds.
    const billOf = async (events: readonly (readonly [UpstreamEvent, number])[], speed = 0.2) => {
      const meter = new UsageMeter({ ...bounds, request: { messages, max_completion_tokens: 10_000 } });
      meter.noteSent(1_000);
      for (const [event, atMs] of events) meter.observe(event, atMs);
      meter.observe(chunk({}, 'stop'), 3_000);
      return (await billAfter('completed', meter, speed)).parts;
    };
    const completion = { id: 'c', object: 'chat.completion', created: 1, model: 'm' } as const;
    const message = { role: 'assistant', content: words, refusal: null } as const;

    it.each<[string, readonly (readonly [UpstreamEvent, number])[], number]>([
      [
        'plain',
        [
          [
            {
              type: 'completion',
              completion: { ...completion, choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }] },
            },
            3_000,
          ],
        ],
        400,
      ],
      ['in one piece', [[chunk({ content: words }), 3_000]], 400],
      ['in many pieces at once', pieces.map((content, index) => [chunk({ content }), 3_000 + index] as const), 400],
      ['of a tool call', [[chunk({ tool_calls: [{ index: 0, ...wholeCall }] }), 3_000]], 400],
      ['of an image', [[pictures, 1_000 + 1_120 / 0.2]], 1_120],
    ])('bills the time of an answer %s for its words, and not for reasoning besides', async (_, events, tokens) => {
      expect(await billOf(events)).toMatchObject({ visibleTokens: tokens, reasoningTokens: 0 });
      expect(await billOf(events, 0.3)).toMatchObject({ reasoningTokens: tokens / 2 });
    });

    it('bills the whole time before words that came evenly, less the first of them', async () => {
      const evenly = pieces.map((content, index) => [chunk({ content }), 3_000 + index * 201] as const);
      expect(await billOf(evenly)).toMatchObject({ visibleTokens: 400, reasoningTokens: 400 - 10 });
    });
  });

  it('bills each choice for reasoning of its own, all of them up to their cap', async () => {
    const two = new UsageMeter({ ...bounds, request: { ...bounds.request, n: 2 } });
    two.noteSent(1_000);
    two.observe(text, 2_000);
    expect((await billAfter('abandoned', two, 0.05)).parts).toMatchObject({
      visibleTokens: 10,
      reasoningTokens: 50 - 10 + 500,
    });
    expect((await billAfter('abandoned', two, 5)).tokens.outputTokens).toBe(2_000);
  });

  it('knows when more was reported than the stream can have shown', () => {
    expect(meterAfter(text, usage(7, 40 + 16)).hasUnseenOutput(true)).toBe(false);
    expect(meterAfter(text, usage(7, 40 + 17)).hasUnseenOutput(true)).toBe(true);
  });

  it('takes output that is missing for reasoning where the model is known to reason, else only what was counted as such', () => {
    const report = usage(7, 300) as Extract<UpstreamEvent, { type: 'usage' }>;
    const empty = meterAfter(report);
    expect([true, false].map((canReason) => empty.hasUnseenOutput(canReason))).toEqual([true, false]);
    const counted = meterAfter({ ...report, usage: { ...report.usage, reasoningTokens: 280 } });
    expect([true, false].map((canReason) => counted.hasUnseenOutput(canReason))).toEqual([true, true]);
  });

  it('does not take the frame of an answer of one digit, or of a tool call without arguments, for reasoning', () => {
    const call = chunk({
      tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'now', arguments: '{}' } }],
    });
    expect(meterAfter(chunk({ content: '1' }), usage(7, 2)).hasUnseenOutput(true)).toBe(false);
    expect(meterAfter(call, usage(7, 12)).hasUnseenOutput(true)).toBe(false);
    expect(meterAfter(call, usage(7, 5 + 16 + 32 + 1)).hasUnseenOutput(true)).toBe(true);
  });

  it('estimates within what was held, and not below what was reported, where nobody can count', async () => {
    const dead = { count: async () => null };
    const isolated = await billAfter('abandoned', meterAfter(text), 0, dead);
    expect(isolated.tokens).toMatchObject({ inputTokens: promptTokens, outputTokens: 10 });
    const reported = await billAfter('abandoned', meterAfter(usage(77, 12), text), 0, dead);
    expect(reported.tokens).toMatchObject({ inputTokens: 77, outputTokens: 12 });
    const long = meterAfter(chunk({ content: 'x'.repeat(15_000) }));
    expect((await billAfter('abandoned', long, 0, dead)).tokens.outputTokens).toBe(1_000);
    expect(await meterAfter(text).countOutput(dead)).toBeNull();
  });

  it('does not ask a tokenizer when the provider has counted', async () => {
    const counter = { count: () => Promise.reject(new Error('asked')) };
    expect((await billAfter('completed', meterAfter(text, usage(5, 6)), 0, counter)).source).toBe('reported');
  });

  it('never goes beyond what was held', async () => {
    const excessive = { count: async (texts: readonly string[]) => texts.map(() => 1_000_000) };
    const { tokens } = await billAfter('completed', meterAfter(text), 0, excessive);
    expect(tokens).toMatchObject({ inputTokens: 400, outputTokens: 1_000 });
  });

  it('counts the whole of an answer, however long, and keeps no more than its cap allows', async () => {
    const long = meterAfter(...Array.from({ length: 20 }, () => chunk({ content: 'é'.repeat(700) })));
    const counted: number[] = [];
    const counter = {
      count: async (texts: readonly string[], timeoutMs?: number | null) => {
        // The stream stands still meanwhile.
        expect(timeoutMs).toBe(10_000);
        counted.push(texts.join('').length);
        return texts.map(({ length }) => length);
      },
    };
    expect(await long.countOutput(counter)).toBe(14_000);
    const endless = meterAfter(...Array.from({ length: 40 }, () => chunk({ content: 'x'.repeat(1_000) })));
    // 16 characters a token of the cap of 1,000 are kept; the rest counts as a token a byte.
    expect(await endless.countOutput(counter)).toBe(40_000);
    expect(counted).toContain(16_000);
    expect(Math.max(...counted)).toBe(16_000);
  });

  it('asks how fast a model reasons unseen for an estimate alone', async () => {
    const findUnseenTokensPerMs = mock.fn(() => 0.1);
    const asked = { findUnseenTokensPerMs, endedAtMs: 11_000 };
    const end = chunk({}, 'stop');
    for (const events of [[text, end, usage(7, 9)], [end, usage(7, 0)], [end]]) {
      await meterAfter(...events).countUsageAfter('completed', quarter, asked);
    }
    await meterAfter().countUsageAfter('failed', quarter, asked);
    expect(findUnseenTokensPerMs.mock.callCount()).toBe(0);
    await meterAfter(text).countUsageAfter('abandoned', quarter, asked);
    expect(findUnseenTokensPerMs.mock.callCount()).toBe(1);
  });

  it('bills an answer that it was told was cut at its cap, in full and no further', async () => {
    const meter = meterAfter(chunk({ content: 'x'.repeat(100_000) }), usage(7, 25_000));
    meter.cutAtCap();
    expect(meter.finishReason).toBe('length');
    expect(await billAfter('completed', meter)).toMatchObject({
      source: 'estimated',
      tokens: { inputTokens: 7, outputTokens: 1_000 },
    });
  });

  it('counts reasoning once that comes under both of its names', async () => {
    const meter = meterAfter(chunk({ reasoning: 'x'.repeat(40), reasoning_content: 'x'.repeat(40) }));
    expect((await billAfter('completed', meter)).tokens.outputTokens).toBe(10);
  });

  it.each([
    ['reasoning beside an empty text under its other name', { reasoning_content: '', reasoning: 'x'.repeat(40) }],
    ['reasoning in details alone', { reasoning_details: [{ type: 'reasoning.text', text: 'x'.repeat(40) }] }],
    ['a call in the form before tools', { function_call: { name: 'now', arguments: 'x'.repeat(37) } }],
  ])('counts %s', async (_, delta) => {
    const meter = meterAfter(chunk(delta as Parameters<typeof chunk>[0]));
    expect((await billAfter('completed', meter)).tokens.outputTokens).toBe(10);
  });

  it('counts details of reasoning that say once more what was told, and their seals, not at all', async () => {
    const details = [{ type: 'reasoning.text', text: 'x'.repeat(40), signature: 'y'.repeat(400) }];
    const told = chunk({ reasoning: 'x'.repeat(40), reasoning_details: details } as Parameters<typeof chunk>[0]);
    const seal = chunk({ reasoning_details: [{ data: 'y'.repeat(400) }] } as Parameters<typeof chunk>[0]);
    expect((await billAfter('completed', meterAfter(told, seal))).tokens.outputTokens).toBe(10);
  });

  it('tells the progress of a running call only once there is output', () => {
    expect(meterAfter().progress).toEqual({ promptTokens: 0, completionTokens: 0 });
    expect(meterAfter(text).progress).toEqual({ promptTokens: 1, completionTokens: 3 });
    expect(meterAfter(usage(77, 9), text).progress).toEqual({ promptTokens: 77, completionTokens: 9 });
  });

  describe('of a running call', () => {
    const counter = new TokenCounter({ logger: silentLogger });
    afterAll(() => counter.close());

    it.each([
      ['English', 'Internationalization considerations notwithstanding, organizations demonstrate responsibility. '],
      ['Hindi', 'भारत एक विशाल देश है और यहाँ अनेक भाषाएँ बोली जाती हैं। '],
      ['Tamil', 'தமிழ் மொழி உலகின் பழமையான மொழிகளில் ஒன்றாகும். '],
      ['Chinese', '人工智能正在改变我们的生活和工作方式。'],
      ['code', 'export class Account {\n            readonly balanceMillicredits: number;\n        }\n'],
      ['a table', '| --------------- | --------------- |\n| first           | second          |\n'],
    ])('tells no more progress than its bill comes to, in %s', async (_, words) => {
      const prompt = words.repeat(50);
      const request = { messages: [{ role: 'user', content: prompt }] as const, max_completion_tokens: 100_000 };
      const meter = new UsageMeter({ ...bounds, promptTokensMax: Buffer.byteLength(prompt) + 16, request });
      for (let piece = 0; piece < 50; piece += 1) meter.observe(chunk({ content: words }), piece);
      const { promptTokens, completionTokens } = meter.progress;
      const { tokens } = await billAfter('completed', meter, 0, counter);
      expect(promptTokens).toBeLessThanOrEqual(tokens.inputTokens);
      expect(completionTokens).toBeLessThanOrEqual(tokens.outputTokens);
      expect(Math.min(promptTokens, completionTokens)).toBeGreaterThan(tokens.outputTokens / 8);
    });
  });
});
