import { SeededChoices } from '../test/seeded-choices.js';
import { countTokensFor, priceTokens } from './token-price.js';

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

describe('The price of tokens', () => {
  it('is tokens times price where the account pays the list price', () => {
    for (const priceMultiplier of [undefined, null, 1_000])
      expect(priceTokens(7, { millicreditsPerToken: 2, priceMultiplier })).toBe(14);
  });

  it.each([
    [0, 1, 800, 0],
    [1, 1, 1, 1],
    [1, 1, 800, 1],
    [10, 1, 800, 8],
    [11, 1, 800, 9],
    [1_000, 1, 1, 1],
    [1_001, 1, 1, 2],
    [3, 2, 1_250, 8],
    [7, 3, 100_000, 2_100],
  ])('of %d at %d and %d per mille is %d', (tokens, millicreditsPerToken, priceMultiplier, price) => {
    expect(priceTokens(tokens, { millicreditsPerToken, priceMultiplier })).toBe(price);
  });

  it(`is exact, rounded up once, grows with the tokens, and tells how many an amount pays for, FUZZ_SEED=${seed}`, () => {
    const choices = new SeededChoices(seed);
    for (let run = 0; run < 2_000; run += 1) {
      const tokens = choices.below(choices.oneOf([10, 5_000, 20_000_000]));
      const millicreditsPerToken = 1 + choices.below(choices.oneOf([3, 50, 1_000_000]));
      const priceMultiplier = 1 + choices.below(choices.oneOf([2_000, 100_000]));
      const price = { millicreditsPerToken, priceMultiplier };
      const exact = BigInt(tokens) * BigInt(millicreditsPerToken) * BigInt(priceMultiplier);
      const found = priceTokens(tokens, price);
      expect({ price, tokens, found }).toEqual({ price, tokens, found: Number((exact + 999n) / 1_000n) });
      expect(priceTokens(tokens + 1, price)).toBeGreaterThanOrEqual(Math.max(1, found));
      const amount = choices.below(choices.oneOf([100, 1_000_000, 2_000_000_000]));
      const affordable = countTokensFor(amount, price);
      expect(priceTokens(affordable, price)).toBeLessThanOrEqual(amount);
      expect(priceTokens(affordable + 1, price)).toBeGreaterThan(amount);
    }
  });

  it('leaves a debt a debt', () => {
    expect(countTokensFor(-5, { millicreditsPerToken: 2, priceMultiplier: 800 })).toBeLessThan(0);
  });
});
