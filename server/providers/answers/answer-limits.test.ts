import { findAnswerLimits, findPlainTokensMax } from './answer-limits.js';

describe('What an answer may have in it', () => {
  it('grows with the tokens, the choices and the alternatives that are asked for, up to a million values', () => {
    const valuesOf = (tokens: number, n: number, logprobs: number) =>
      findAnswerLimits({ max_completion_tokens: tokens, n }, logprobs).valuesMax;
    expect(valuesOf(16, 1, 0)).toBe(100_064);
    expect(valuesOf(1_000, 1, 1)).toBeLessThan(valuesOf(1_000, 2, 1));
    expect(valuesOf(1_000, 1, 1)).toBeLessThan(valuesOf(1_000, 1, 6));
    expect(valuesOf(10_000_000, 8, 21)).toBe(1_000_000);
    expect(findAnswerLimits({}, 0).valuesMax).toBe(1_000_000);
  });

  it.each([1, 2, 6, 21])(
    'never refuses an answer with %d log probabilities a token that may be asked for',
    (logprobs) => {
      for (const n of [1, 8]) {
        const tokens = findPlainTokensMax({ n }, logprobs);
        // A comma, an object, two more members and a list of 12 bytes for each, and what holds them together.
        const honest = n * tokens * (1 + 16 * logprobs);
        expect(honest).toBeLessThanOrEqual(findAnswerLimits({ n, max_completion_tokens: tokens }, logprobs).valuesMax);
      }
    },
  );

  it('bounds no answer in words', () => {
    expect(findPlainTokensMax({ n: 8 }, 0)).toBe(Number.POSITIVE_INFINITY);
  });
});
