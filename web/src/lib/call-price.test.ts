import { formatMillicreditsAsDollars, formatPrice, priceOfCalls } from './call-price';

describe('the price of calls', () => {
  it('is tokens times price times calls, in whole millicredits of any size', () => {
    const plan = { promptTokens: 1_500, completionTokens: 500, calls: 1_000, millicreditsPerToken: 2n };
    expect(priceOfCalls(plan)).toBe(4_000_000n);
    expect(priceOfCalls({ ...plan, promptTokens: 9_000_000, calls: 999_999_999 })).toBe(18_000_999_981_999_000n);
  });

  it('is shown in dollars, to the nearest cent, and small prices in full', () => {
    expect(formatMillicreditsAsDollars(4_000_000n)).toBe('$4.00');
    expect(formatMillicreditsAsDollars(1_234_567_890n)).toBe('$1,234.57');
    expect(formatMillicreditsAsDollars(123n)).toBe('$0.000123');
    expect(formatMillicreditsAsDollars(0n)).toBe('$0');
  });

  it('is shown in credits without needless zeros', () => {
    expect(formatPrice(4_000_000n)).toBe('4,000');
    expect(formatPrice(1_150n)).toBe('1.15');
    expect(formatPrice(5n)).toBe('0.005');
    expect(formatPrice(10_000n)).toBe('10');
  });
});
