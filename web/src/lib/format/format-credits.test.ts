import {
  formatCredits,
  formatCreditsAligned,
  formatCreditsAsDollars,
  formatSignedCredits,
  groupThousands,
  toMillicredits,
} from './format-credits';

describe('formatCredits', () => {
  it.each([
    [0, '0'],
    [0.001, '0.001'],
    [0.1, '0.1'],
    [12, '12'],
    [999.999, '999.999'],
    [1000, '1,000'],
    [12345.678, '12,345.678'],
    [1000000, '1,000,000'],
    [1234567890.123, '1,234,567,890.123'],
    [-1.2, '−1.2'],
  ])('shows %d digit for digit as %s', (credits, shown) => {
    expect(formatCredits(credits)).toBe(shown);
  });
});

describe('formatCreditsAligned', () => {
  it('always writes three decimals', () => {
    expect(formatCreditsAligned(5)).toBe('5.000');
    expect(formatCreditsAligned(1234.5)).toBe('1,234.500');
  });
});

describe('formatSignedCredits', () => {
  it('writes the sign of money in, of money out, and none of nothing', () => {
    expect(formatSignedCredits(5000)).toBe('+5,000.000');
    expect(formatSignedCredits(-0.012)).toBe('−0.012');
    expect(formatSignedCredits(0)).toBe('0.000');
  });
});

describe('formatCreditsAsDollars', () => {
  it('rounds to the nearest cent, and never says nothing of something', () => {
    expect(formatCreditsAsDollars(4999.965)).toBe('$5.00');
    expect(formatCreditsAsDollars(0)).toBe('$0.00');
    expect(formatCreditsAsDollars(4.999)).toBe('under $0.01');
    expect(formatCreditsAsDollars(9.999)).toBe('$0.01');
    expect(formatCreditsAsDollars(15)).toBe('$0.02');
    expect(formatCreditsAsDollars(14.999)).toBe('$0.01');
    expect(formatCreditsAsDollars(12345.678)).toBe('$12.35');
    expect(formatCreditsAsDollars(1000000000)).toBe('$1,000,000.00');
    expect(formatCreditsAsDollars(-1500)).toBe('−$1.50');
  });
});

describe('toMillicredits', () => {
  it('is exact where float arithmetic is not', () => {
    expect(1.005 * 1000).not.toBe(1005);
    expect(toMillicredits(1.005)).toBe(1005n);
    expect(toMillicredits(-0.5)).toBe(-500n);
    expect(toMillicredits(4.35)).toBe(4350n);
  });
});

describe('groupThousands', () => {
  it('groups from the right', () => {
    expect(groupThousands(1)).toBe('1');
    expect(groupThousands(123456)).toBe('123,456');
    expect(groupThousands(1234567n)).toBe('1,234,567');
  });
});
