import { describeFailedCalls, formatSpendChange, runwayDays, runwayWords } from './spending';

describe('describeFailedCalls', () => {
  const words = (failedCalls: number, chargedFailures: number | null) =>
    describeFailedCalls({ calls: 10_000, failedCalls, chargedFailures });

  it('never call free what was charged, and round', () => {
    expect(words(0, 0)).toBe('none failed');
    expect(words(196, 0)).toBe('2.0 % failed free');
    expect(words(196, 96)).toBe('1.0 % failed free; 1.0 % interrupted, charged in part');
    expect(words(96, 96)).toBe('1.0 % interrupted, charged in part');
    expect(words(196, null)).toBe('2.0 % failed or interrupted');
  });
});

describe('formatSpendChange', () => {
  it('has a sign, and is silent without anything before', () => {
    expect(formatSpendChange({ spent: 150, before: 100 })).toBe('+50 %');
    expect(formatSpendChange({ spent: 50, before: 100 })).toBe('−50 %');
    expect(formatSpendChange({ spent: 100, before: 100 })).toBe('±0 %');
    expect(formatSpendChange({ spent: 5, before: 0 })).toBeNull();
  });
});

describe('runwayDays', () => {
  const noonMs = Date.UTC(2026, 10, 20, 12);

  it('divides the balance by the pace of the last seven days', () => {
    expect(runwayDays(90, [1, 0, 0, 0, 10_000, 20_000, 30_000, 5_000], noonMs)).toBe(9);
  });

  it('counts a new account from its first use', () => {
    expect(runwayDays(90, [0, 0, 0, 0, 0, 0, 0, 0, 10_000, 5_000], noonMs)).toBe(9);
  });

  it('knows no pace without use, and none of an empty balance', () => {
    expect(runwayDays(90, [0, 0, 0], noonMs)).toBeNull();
    expect(runwayDays(0, [0, 10], noonMs)).toBe(0);
    expect(runwayDays(-5, [0, 10], noonMs)).toBe(0);
  });

  it('is said in words', () => {
    expect([0, 1, 9, 90, 1_000].map(runwayWords)).toEqual([
      'less than a day at this pace',
      'about a day at this pace',
      'about 9 days at this pace',
      'about 3 months at this pace',
      'years at this pace',
    ]);
  });
});
