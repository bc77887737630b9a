import { exploreMetrics } from './explore-metrics';
import { type ExploreReport, formatChange, listColumns, toExploreRows, toExploreView } from './explore-view';

const metricOf = (id: string) => exploreMetrics.find((metric) => metric.id === id) ?? exploreMetrics[0];
const cell = (charged: number, calls = 4, failedCalls = 1) => ({
  sums: { charged, calls, failedCalls, promptTokens: 10, completionTokens: 5 },
  times: {
    ...{ p50Ms: 120, p95Ms: 900, p99Ms: null, firstByteP50Ms: 40, firstByteP95Ms: 60, tokensPerSecond: 51.5 },
    ...{ cachedPercent: 64.2, cacheHitPercent: 100, reasoningPercent: null },
  },
});
const lists = (...cells: readonly ReturnType<typeof cell>[]) => {
  const flat = cells.map(({ sums, times }): Record<string, number | null> => ({ ...sums, ...times }));
  return Object.fromEntries(Object.keys(flat[0] ?? {}).map((figure) => [figure, flat.map((one) => one[figure])]));
};
const report: ExploreReport = {
  starts: ['2026-05-01T00:00:00.000Z', '2026-05-02T00:00:00.000Z'],
  total: cell(1.502),
  series: lists(cell(1.5), cell(0.002)),
  groups: [
    { isRest: false, model: 'gpt', tag: '', total: cell(1.5), series: lists(cell(1.5), cell(0)), previous: cell(3) },
    {
      isRest: false,
      model: 'gpt',
      tag: '=x',
      total: cell(0.002),
      series: lists(cell(0), cell(0.002)),
      previous: cell(0),
    },
    { isRest: true, total: cell(0), series: lists(cell(0), cell(0)), previous: cell(0) },
  ],
  previous: { from: '2026-04-29T00:00:00.000Z', total: cell(3), series: lists(cell(1), cell(2)) },
};

describe('what is explored', () => {
  it('names each part, and leads to the requests of those that a filter can name', () => {
    const { series } = toExploreView(report, exploreMetrics[0], ['model', 'tag'], []);
    expect(series.map(({ label, total, previous, filter }) => [label, total, previous, filter])).toEqual([
      ['gpt · No tag', 1_500, 3_000, null],
      ['gpt · =x', 2, 0, { model: 'gpt', tag: '=x' }],
      ['All others', 0, 0, null],
    ]);
  });

  it('is the same in the file as on the page, to the millicredit, in credits and in dollars', () => {
    const view = toExploreView(report, exploreMetrics[0], ['model', 'tag'], []);
    expect(listColumns(view).map(({ label }) => label)).toEqual([
      ...['gpt · No tag', 'gpt · =x', 'All others', 'All', 'Period before'],
    ]);
    expect(toExploreRows(view, exploreMetrics[0], 'credits').slice(1)).toEqual([
      ['2026-05-01T00:00:00.000Z', '1.500', '0.000', '0.000', '1.500', '1.000'],
      ['2026-05-02T00:00:00.000Z', '0.000', '0.002', '0.000', '0.002', '2.000'],
      ['total', '1.500', '0.002', '0.000', '1.502', '3.000'],
    ]);
    expect(toExploreRows(view, exploreMetrics[0], 'dollars').at(-1)).toEqual([
      ...['total', '0.001500', '0.000002', '0.000000', '0.001502', '0.003000'],
    ]);
  });

  it('is one series when nothing is divided', () => {
    const view = toExploreView({ ...report, previous: null }, metricOf('requests'), [], []);
    expect(view.series).toEqual([view.all]);
    expect(listColumns(view)).toEqual([view.all]);
  });

  it('has figures that are no sums, with a gap where nothing was measured', () => {
    const view = toExploreView(report, metricOf('p99'), [], []);
    expect(view.all.values).toEqual([null, null]);
    expect(toExploreRows(view, metricOf('p99'), 'credits')[1]).toEqual(['2026-05-01T00:00:00.000Z', null, null]);
    expect(metricOf('error_rate').format(metricOf('error_rate').read(cell(1, 3, 1)) ?? 0, 'credits')).toBe('33.3 %');
    expect(metricOf('error_rate').read(cell(1, 0, 0))).toBeNull();
    const shares = ['cached', 'cache_hits', 'reasoning'].map(metricOf);
    expect(shares.map(({ read }) => read(cell(1)))).toEqual([64.2, 100, null]);
    expect(shares.map(({ column }) => column('credits'))).toContain('cached_percent');
    expect(metricOf('cached').format(64.2, 'credits')).toBe('64.2 %');
  });

  it('sums cached and reasoned tokens, and has a gap where they are not known', () => {
    const of = (cachedTokens: number | null, reasoningTokens: number | null) => {
      const whole = cell(1);
      return { ...whole, sums: { ...whole.sums, cachedTokens, reasoningTokens } };
    };
    const [cached, reasoned] = [metricOf('cached_tokens'), metricOf('reasoning_tokens')];
    expect([cached, reasoned].map(({ read }) => read(of(1_234, 0)))).toEqual([1_234, 0]);
    expect([cached, reasoned].map(({ read }) => read(of(null, null)))).toEqual([null, null]);
    expect(cached.format(1_234, 'credits')).toBe('1,234');
    const partly = { ...report, total: of(null, 5), series: lists(of(null, 5), of(7, 0)), previous: null };
    const rows = toExploreRows(toExploreView(partly, cached, [], []), cached, 'credits');
    expect(rows.slice(1).map(([, value]) => value)).toEqual([null, '7', null]);
  });

  it('is compared in words', () => {
    expect(formatChange(112, 100)).toBe('+12.0 %');
    expect(formatChange(97, 100)).toBe('−3.0 %');
    expect(formatChange(100, 100)).toBe('±0 %');
    expect([formatChange(1, 0), formatChange(null, 1)]).toEqual([null, null]);
  });
});
