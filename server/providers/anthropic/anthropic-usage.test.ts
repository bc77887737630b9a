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

  it('adds up the rounds of a call, of which the counts beside them leave some out', () => {
    const round = { type: 'message', input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3 };
    const iterations = [round, { ...round, type: 'compaction' }, { ...round, type: 'advice' }];
    expect(totalOf({ input_tokens: 10, output_tokens: 5, iterations })).toMatchObject({
      inputTokens: 26,
      cachedInputTokens: 6,
      outputTokens: 10,
    });
  });
});
