import { nameOfKey } from '../name-of-key';
import type { CallOutcomeName } from '../requests/call-outcome';
import { outcomeWords } from '../requests/call-outcome';
import type { ExploreCell, ExploreMetric, MoneyUnit } from './explore-metrics';
import type { UsageSums } from './usage-series';

/** What requests can be divided by, as the address and the reader have it, and the server's name. */
export const exploreDimensions = [
  { id: 'model', label: 'Model', asked: 'MODEL' },
  { id: 'provider', label: 'Provider', asked: 'PROVIDER' },
  { id: 'key', label: 'Key', asked: 'API_KEY' },
  { id: 'tag', label: 'Tag', asked: 'TAG' },
  { id: 'user', label: 'End user', asked: 'END_USER' },
  { id: 'status', label: 'Status', asked: 'STATUS' },
] as const;

export type DimensionId = (typeof exploreDimensions)[number]['id'];

type Lists<Figures> = { readonly [Figure in keyof Figures]?: readonly Figures[Figure][] | null };

/** What each bucket had, as the server sends it: the figures of cells, each as one list. */
export type ExploreLists = Lists<UsageSums> & Lists<NonNullable<ExploreCell['times']>>;

/** One part of a report, as the server has it. */
export interface ExploreGroup {
  readonly isRest: boolean;
  readonly model?: string | null;
  readonly provider?: string | null;
  readonly apiKeyId?: string | null;
  readonly tag?: string | null;
  readonly endUser?: string | null;
  readonly outcome?: CallOutcomeName | null;
  readonly total: ExploreCell;
  readonly series: ExploreLists;
  readonly previous?: ExploreCell | null;
}

export interface ExploreReport {
  readonly starts: readonly string[];
  readonly total: ExploreCell;
  readonly series: ExploreLists;
  readonly groups: readonly ExploreGroup[];
  readonly previous?: {
    readonly from: string;
    readonly total: ExploreCell;
    readonly series: ExploreLists;
  } | null;
}

/** One line, colour or column of what is shown. Values as the metric reads them; null: nothing was measured. */
export interface ExploreSeries {
  /** Of the group, for its colour; null for all others together. */
  readonly key: string | null;
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly total: number | null;
  readonly previous: number | null;
  /** What a list of requests is narrowed to for this series; null: that cannot be said. */
  readonly filter: Readonly<Partial<Record<DimensionId, string>>> | null;
}

/** What is shown: by chart, table and file alike. */
export interface ExploreView {
  readonly starts: readonly string[];
  readonly series: readonly ExploreSeries[];
  readonly all: ExploreSeries;
  /** The period before, bucket by bucket; null when it was not asked for. */
  readonly previous: ExploreSeries | null;
}

/** Works out what is shown of a report. @param dimensions What it was divided by, none, one or two. */
export function toExploreView(
  report: ExploreReport,
  metric: ExploreMetric,
  dimensions: readonly DimensionId[],
  apiKeys: readonly { readonly id: string; readonly name: string }[],
): ExploreView {
  const { total, starts, previous } = report;
  const readBuckets = (lists: ExploreLists) => starts.map((_, at) => metric.read(toCell(lists, at)));
  const all: ExploreSeries = {
    key: 'all',
    label: 'All',
    values: readBuckets(report.series),
    total: metric.read(total),
    previous: previous ? metric.read(previous.total) : null,
    filter: {},
  };
  const before: ExploreSeries | null = previous
    ? {
        key: null,
        label: 'Period before',
        values: readBuckets(previous.series),
        total: metric.read(previous.total),
        previous: null,
        filter: null,
      }
    : null;
  const series = report.groups.map((group): ExploreSeries => {
    const values = dimensions.map((dimension) => [dimension, dimensionValue(group, dimension)] as const);
    return {
      key: group.isRest ? null : values.map(([, value]) => value).join('\n'),
      label: group.isRest
        ? 'All others'
        : values.map(([dimension, value]) => nameOf(dimension, value, apiKeys)).join(' · '),
      values: readBuckets(group.series),
      total: metric.read(group.total),
      previous: group.previous ? metric.read(group.previous) : null,
      filter: group.isRest || values.some(([, value]) => value === '') ? null : Object.fromEntries(values),
    };
  });
  return { starts, all, previous: before, series: dimensions.length === 0 ? [all] : series };
}

/** One bucket out of the lists. No figure of sums has the name of one of times. */
function toCell(lists: ExploreLists, at: number): ExploreCell {
  const figures = Object.fromEntries(Object.entries(lists).map(([figure, list]) => [figure, list?.[at] ?? null]));
  return { ...(lists.calls && { sums: figures as unknown as UsageSums }), times: figures };
}

function dimensionValue(group: ExploreGroup, dimension: DimensionId): string {
  const { model, provider, apiKeyId, tag, endUser, outcome } = group;
  const values = { model, provider, key: apiKeyId, tag, user: endUser, status: outcome?.toLowerCase() };
  return values[dimension] ?? '';
}

function nameOf(
  dimension: DimensionId,
  value: string,
  apiKeys: readonly { readonly id: string; readonly name: string }[],
): string {
  if (dimension === 'key') return nameOfKey(value, apiKeys);
  if (dimension === 'status') return outcomeWords[value.toUpperCase() as CallOutcomeName]?.label ?? value;
  if (value !== '') return value;
  return dimension === 'tag' ? 'No tag' : 'No end user';
}

/** How a figure changed against the one before: `+12.5 %`, `−3.0 %`; null where that says nothing. */
export function formatChange(now: number | null, before: number | null): string | null {
  if (now === null || before === null || before === 0) return null;
  const tenths = Math.round(((now - before) * 1_000) / before);
  const digits = (Math.abs(tenths) / 10).toFixed(1);
  if (tenths === 0) return '±0 %';
  return `${tenths > 0 ? '+' : '−'}${digits} %`;
}

/** Exactly what is shown, as rows of a file: one for each bucket, one column for each series, times in UTC. */
export function toExploreRows(view: ExploreView, metric: ExploreMetric, unit: MoneyUnit): (string | null)[][] {
  const columns = listColumns(view);
  const write = (value: number | null | undefined) => (typeof value === 'number' ? metric.write(value, unit) : null);
  return [
    ['start_utc', ...columns.map(({ label }) => `${label} (${metric.column(unit)})`)],
    ...view.starts.map((start, at) => [start, ...columns.map(({ values }) => write(values[at]))]),
    ['total', ...columns.map(({ total }) => write(total))],
  ];
}

/** The columns of the table and the file: each series, all together, and the period before. */
export function listColumns({ series, all, previous }: ExploreView): readonly ExploreSeries[] {
  const parts = series[0] === all ? [] : series;
  return [...parts, all, ...(previous ? [previous] : [])];
}
