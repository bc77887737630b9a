import { formatMeasureShort, formatMillicredits, formatShare, toStack, type UsageReport } from './usage-series';

const sums = (calls: number, charged = 0) => ({
  calls,
  failedCalls: 0,
  promptTokens: calls * 10,
  completionTokens: calls,
  charged,
});

function reportOf(groups: readonly (readonly number[])[]): UsageReport {
  const buckets = groups[0]?.map((_, index) => ({ start: `2026-01-0${index + 1}`, sums: sums(0) })) ?? [];
  return {
    total: sums(0),
    buckets,
    groups: groups.map((calls, index) => ({
      key: `model-${index}`,
      sums: sums(
        calls.reduce((a, b) => a + b, 0),
        0.1 * index,
      ),
      buckets: calls.map((count) => sums(count, 0.001)),
    })),
  };
}

describe('toStack', () => {
  it('puts the largest first by the metric that is shown, and leaves out what is zero', () => {
    const stack = toStack(
      reportOf([
        [1, 1],
        [5, 0],
        [0, 0],
      ]),
      'calls',
    );
    expect(stack.map(({ key, values, total }) => ({ key, values, total }))).toEqual([
      { key: 'model-1', values: [5, 0], total: 5 },
      { key: 'model-0', values: [1, 1], total: 2 },
    ]);
  });

  it('adds up what is beyond six colours, and loses nothing of it', () => {
    const stack = toStack(reportOf([[9], [8], [7], [6], [5], [4], [3], [2]]), 'calls');
    expect(stack).toHaveLength(7);
    expect(stack.at(-1)).toEqual({ key: null, values: [5], total: 5 });
  });

  it('measures credits in whole millicredits', () => {
    expect(toStack(reportOf([[1], [1]]), 'credits')[0]).toMatchObject({ key: 'model-1', total: 100, values: [1] });
  });
});

describe('figures', () => {
  it('show every millicredit', () => {
    expect(formatMillicredits(12_345_678)).toBe('12,345.678');
    expect(formatMillicredits(5)).toBe('0.005');
    expect(formatMillicredits(-1_200)).toBe('−1.200');
    expect(formatMillicredits(0)).toBe('0.000');
  });

  it('are short on an axis, and a share says when it is small', () => {
    expect(formatMeasureShort(1_234_000, 'credits')).toBe('1.23K');
    expect(formatShare(1, 8)).toBe('12.5 %');
    expect(formatShare(2, 25)).toBe('8.0 %');
    expect(formatShare(1, 5_000)).toBe('under 0.1 %');
    expect(formatShare(196, 10_000)).toBe('2.0 %');
    expect(formatShare(9_999, 10_000)).toBe('over 99.9 %');
    expect(formatShare(10_000, 10_000)).toBe('100.0 %');
    expect(formatShare(0, 0)).toBe('0 %');
  });
});
