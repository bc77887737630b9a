import { affordableTokens, formatTokenCost } from './token-cost';

describe('affordableTokens', () => {
  it('gives a lower-tier token for each millicredit and half as many of the higher tier', () => {
    expect(affordableTokens(12.345, 1)).toBe(12345n);
    expect(affordableTokens(12.345, 2)).toBe(6172n);
  });

  it('gives nothing for an empty balance or a missing price', () => {
    expect(affordableTokens(0, 1)).toBe(0n);
    expect(affordableTokens(-3, 1)).toBe(0n);
    expect(affordableTokens(5, 0)).toBe(0n);
  });
});

describe('formatTokenCost', () => {
  it('prices tokens exactly to the millicredit', () => {
    expect(formatTokenCost(0, 1)).toBe('0.000');
    expect(formatTokenCost(7, 1)).toBe('0.007');
    expect(formatTokenCost(1234567, 2)).toBe('2,469.134');
  });
});
