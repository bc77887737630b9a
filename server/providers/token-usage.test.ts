import fc from 'fast-check';
import { isCredibleUsage, readTokenUsage, toCompletionUsage, tokensPerCallMax } from './token-usage.js';

const unsaid = { cachedInputTokens: null, cacheWriteInputTokens: null, reasoningTokens: null };

describe('readTokenUsage', () => {
  it("reads OpenAI's spelling with its details", () => {
    const usage = readTokenUsage({
      prompt_tokens: 11,
      completion_tokens: 7,
      total_tokens: 18,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 3 },
    });
    expect(usage).toEqual({
      inputTokens: 11,
      cachedInputTokens: 4,
      cacheWriteInputTokens: 2,
      outputTokens: 7,
      reasoningTokens: 3,
    });
  });

  const beyondTheSum = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 };

  it('counts the reasoning that xAI leaves out of completion_tokens', () => {
    expect(readTokenUsage(beyondTheSum, true)).toEqual({ ...unsaid, inputTokens: 10, outputTokens: 105 });
  });

  it('bills nothing of a total above the sum where reasoning is counted in completion_tokens', () => {
    expect(readTokenUsage(beyondTheSum)).toEqual({ ...unsaid, inputTokens: 10, outputTokens: 5 });
    const told = { ...beyondTheSum, completion_tokens_details: { reasoning_tokens: 3 } };
    expect(readTokenUsage(told)).toMatchObject({ outputTokens: 5, reasoningTokens: 3 });
  });

  it('reads reasoning as left out of completion_tokens wherever the counts add up only so', () => {
    const told = { ...beyondTheSum, completion_tokens_details: { reasoning_tokens: 100 } };
    expect(readTokenUsage(told)).toMatchObject({ outputTokens: 105, reasoningTokens: 100 });
  });

  it.each([
    ['DeepSeek', { prompt_cache_hit_tokens: 6, prompt_cache_miss_tokens: 4 }],
    ['Moonshot', { cached_tokens: 6 }],
    ['Mistral', { num_cached_tokens: 6 }],
  ])('reads the cached tokens of %s', (_provider, spelling) => {
    expect(readTokenUsage({ prompt_tokens: 10, completion_tokens: 1, ...spelling })?.cachedInputTokens).toBe(6);
  });

  it('never lets a part exceed its whole', () => {
    const usage = readTokenUsage({
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 99 },
      completion_tokens_details: { reasoning_tokens: 99 },
    });
    expect(usage).toMatchObject({ cachedInputTokens: 10, reasoningTokens: 5 });
  });

  it.each([
    [null],
    [undefined],
    ['11'],
    [{}],
    [{ prompt_tokens: 1 }],
    [{ completion_tokens: 1 }],
    [{ prompt_tokens: -1, completion_tokens: 1 }],
    [{ prompt_tokens: 1.5, completion_tokens: 1 }],
    [{ prompt_tokens: '1', completion_tokens: 1 }],
    [{ prompt_tokens: 1, completion_tokens: Number.NaN }],
    [{ prompt_tokens: 1, completion_tokens: Number.POSITIVE_INFINITY }],
    [{ prompt_tokens: 1, completion_tokens: tokensPerCallMax + 1 }],
  ])('answers null for %j rather than guess', (raw) => {
    expect(readTokenUsage(raw)).toBeNull();
  });

  it.each([
    [{ prompt_tokens_details: { cached_tokens: -1 } }],
    [{ prompt_tokens_details: { cache_write_tokens: 'many' } }],
    [{ prompt_tokens_details: 'none' }],
    [{ completion_tokens_details: { reasoning_tokens: 0.5 } }],
    [{ total_tokens: 'sum' }],
    [{ total_tokens: 1e12 }],
    [{ total_tokens: tokensPerCallMax + 11 }],
  ])('leaves out alone what is odd and moves no bill: %j', (odd) => {
    const plain = { prompt_tokens: 10, completion_tokens: 5 };
    expect(readTokenUsage({ ...plain, ...odd })).toEqual({ ...unsaid, inputTokens: 10, outputTokens: 5 });
  });

  it('answers null for an odd total where reasoning may stand beside the output, which nothing else tells', () => {
    const odd = { prompt_tokens: 10, completion_tokens: 5, total_tokens: '115' };
    expect(readTokenUsage(odd, true)).toBeNull();
    expect(readTokenUsage({ ...odd, completion_tokens_details: { reasoning_tokens: 100 } })).toBeNull();
    expect(readTokenUsage({ ...odd, total_tokens: tokensPerCallMax + 11 }, true)).toBeNull();
  });

  it('gives whole counts within bounds, or null, for anything at all', () => {
    const anyCount = fc.oneof(fc.anything(), fc.integer(), fc.double());
    const anyUsage = fc.record({ prompt_tokens: anyCount, completion_tokens: anyCount, total_tokens: anyCount });
    fc.assert(
      fc.property(fc.oneof(fc.anything(), anyUsage), (raw) => {
        const usage = readTokenUsage(raw);
        if (usage === null) return;
        for (const count of [usage.inputTokens, usage.outputTokens]) {
          expect(Number.isSafeInteger(count) && count >= 0 && count <= tokensPerCallMax).toBe(true);
        }
      }),
    );
  });
});

describe('isCredibleUsage', () => {
  it('believes zeros only where there is no output', () => {
    const zeros = { ...unsaid, inputTokens: 0, outputTokens: 0 };
    expect(isCredibleUsage(zeros, { hasOutput: false })).toBe(true);
    expect(isCredibleUsage(zeros, { hasOutput: true })).toBe(false);
    expect(isCredibleUsage({ ...zeros, inputTokens: 5 }, { hasOutput: true })).toBe(false);
    expect(isCredibleUsage({ ...zeros, inputTokens: 5, outputTokens: 1 }, { hasOutput: true })).toBe(true);
  });
});

describe('toCompletionUsage', () => {
  it('writes what readTokenUsage reads', () => {
    const usage = {
      inputTokens: 9,
      cachedInputTokens: 4,
      cacheWriteInputTokens: 0,
      outputTokens: 3,
      reasoningTokens: 1,
    };
    expect(readTokenUsage(toCompletionUsage(usage))).toEqual(usage);
    expect(toCompletionUsage(usage).total_tokens).toBe(12);
  });
});
