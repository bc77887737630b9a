import { AnthropicUsage } from './anthropic-usage.js';

function totalOf(...reports: unknown[]) {
  const usage = new AnthropicUsage();
  for (const report of reports) usage.report(report);
  return usage.total;
}

describe('AnthropicUsage', () => {
  it('is cumulative: a report sets what it says, and what it leaves out stays', () => {
    const start = { input_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 2, output_tokens: 1 };
    expect(totalOf(start, { output_tokens: 20 }, { output_tokens: 40, input_tokens: null })).toEqual({
      inputTokens: 17,
      cachedInputTokens: 5,
      cacheWriteInputTokens: 2,
      outputTokens: 40,
      reasoningTokens: null,
    });
  });

  it('says nothing until both counts have come', () => {
    expect(totalOf()).toBeNull();
    expect(totalOf({ output_tokens: 3 })).toBeNull();
    expect(totalOf({ input_tokens: 3 })).toBeNull();
    expect(totalOf(null, 'many', [])).toBeNull();
  });

  it.each([[-1], [1.5], ['7'], [Number.POSITIVE_INFINITY], [Number.NaN], [10_000_001]])(
    'never guesses at a count of %j',
    (count) => {
      expect(totalOf({ input_tokens: 10, output_tokens: count })).toBeNull();
      expect(totalOf({ input_tokens: 10, output_tokens: 1, cache_read_input_tokens: count })).toBeNull();
    },
  );

  it.each([[-1], [1.5], ['7'], [{}], [10_000_001]])('leaves out alone a count of thinking of %j', (thinking_tokens) => {
    const start = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 };
    const end = { output_tokens: 40, output_tokens_details: { thinking_tokens } };
    expect(totalOf(start, end)).toEqual({
      inputTokens: 15,
      cachedInputTokens: 5,
      cacheWriteInputTokens: null,
      outputTokens: 40,
      reasoningTokens: null,
    });
  });

  it('believes a report that makes sense of each count behind one that made none, and the other way round none', () => {
    const [odd, plain] = [
      { input_tokens: 10, cache_read_input_tokens: -1, output_tokens: '1' },
      { input_tokens: 10, cache_read_input_tokens: 0, output_tokens: 40 },
    ];
    expect(totalOf(odd, plain)).toMatchObject({ inputTokens: 10, outputTokens: 40 });
    expect(totalOf(plain, odd)).toBeNull();
    expect(totalOf(plain, { output_tokens: 40, iterations: [{ type: 'message', output_tokens: -1 }] })).toBeNull();
  });

  it('adds up the rounds of a call, of which the counts beside them leave some out', () => {
    const round = { type: 'message', input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3 };
    const iterations = [round, { ...round, type: 'compaction' }, { ...round, type: 'advice' }];
    expect(totalOf({ input_tokens: 10, output_tokens: 5, iterations })).toMatchObject({
      inputTokens: 26,
      cachedInputTokens: 6,
      outputTokens: 10,
    });
  });

  it.each([
    ['kinds that are not known', [{ type: 'advisor_message', input_tokens: 200, output_tokens: 500 }]],
    ['less than stands beside them', [{ type: 'message', input_tokens: 3, output_tokens: 1 }]],
    ['nothing', []],
    ['no objects', [7, null]],
  ])('keeps the plain counts where the rounds beside them are %s', (_, iterations) => {
    expect(totalOf({ input_tokens: 20, output_tokens: 405, iterations })).toMatchObject({
      inputTokens: 20,
      outputTokens: 405,
    });
  });

  it('says of each report whether it counted the output', () => {
    const usage = new AnthropicUsage();
    expect(usage.report({ input_tokens: 20, output_tokens: 1 })).toBe(true);
    for (const raw of [undefined, null, 7, [], {}, { input_tokens: 20 }, { iterations: [{ type: 'other' }] }]) {
      expect(usage.report(raw)).toBe(false);
    }
    expect(usage.report({ iterations: [{ type: 'message', output_tokens: 405 }] })).toBe(true);
  });
});
