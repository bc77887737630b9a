import {
  formatDollarsPerMillion,
  formatExactDollars,
  formatMillicreditsAsDollars,
  formatPrice,
  priceOfCalls,
} from './call-price';

describe('the price of calls', () => {
  it('is tokens times price times calls, in whole millicredits of any size', () => {
    const plan = { promptTokens: 1_500, completionTokens: 500, calls: 1_000, millicreditsPerThousandTokens: 2_000n };
    expect(priceOfCalls(plan)).toBe(4_000_000n);
    expect(priceOfCalls({ ...plan, promptTokens: 9_000_000, calls: 999_999_999 })).toBe(18_000_999_981_999_000n);
  });

  it('is rounded up once for each call, where a token costs a part of a millicredit', () => {
    const plan = { promptTokens: 10, completionTokens: 1, calls: 1, millicreditsPerThousandTokens: 800n };
    expect(priceOfCalls(plan)).toBe(9n);
    expect(priceOfCalls({ ...plan, calls: 1_000 })).toBe(9_000n);
  });

  it('is shown in dollars, to the nearest cent, and small prices in full', () => {
    expect(formatMillicreditsAsDollars(4_000_000n)).toBe('$4.00');
    expect(formatMillicreditsAsDollars(1_234_567_890n)).toBe('$1,234.57');
    expect(formatMillicreditsAsDollars(123n)).toBe('$0.000123');
    expect(formatMillicreditsAsDollars(0n)).toBe('$0');
  });

  it('is shown in dollars exactly, to the millicredit, where that is asked', () => {
    expect([12_000_000n, 4_200n, 1n, 0n, 1_234_567_890n].map(formatExactDollars)).toEqual([
      ...['$12.00', '$0.0042', '$0.000001', '$0.00', '$1,234.56789'],
    ]);
    // Credits for 1,000 tokens are dollars for a million.
    expect([1, 2, 0.5, 1.25].map(formatDollarsPerMillion)).toEqual(['$1.00', '$2.00', '$0.50', '$1.25']);
  });

  it('is shown in credits without needless zeros', () => {
    expect(formatPrice(4_000_000n)).toBe('4,000');
    expect(formatPrice(1_150n)).toBe('1.15');
    expect(formatPrice(5n)).toBe('0.005');
    expect(formatPrice(10_000n)).toBe('10');
  });
});
