import { groupThousands, toMillicredits } from '../format/format-credits';

/** What was used in some stretch of time, as the server reports it. */
export interface UsageSums {
  readonly calls: number;
  readonly failedCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of the tokens in, those from a cache; null: not known of all of it. */
  readonly cachedTokens?: number | null;
  /** Of the tokens out, those that were reasoned; null: not known of all of it. */
  readonly reasoningTokens?: number | null;
  /** Credits. */
  readonly charged: number;
}

/** What a metric measures of some sums. */
export type MeasuredSums = Pick<UsageSums, 'calls' | 'promptTokens' | 'completionTokens' | 'charged'>;

/** A usage report, divided into groups; each group has one entry for each bucket. */
export interface UsageReport {
  readonly total: UsageSums;
  readonly buckets: readonly { readonly start: string; readonly sums: UsageSums }[];
  readonly groups: readonly {
    readonly key: string;
    readonly sums: UsageSums;
    readonly buckets: readonly MeasuredSums[];
  }[];
}

export type UsageMetric = 'credits' | 'tokens' | 'calls';

/** One colour of a stack: its share of each bucket and of all. Whole numbers: millicredits, tokens or calls. */
export interface StackedSeries {
  /** Of the group; null for all that are too small to have a colour of their own. */
  readonly key: string | null;
  readonly values: readonly number[];
  readonly total: number;
}

const coloursMax = 6;

/** What a metric measures of some sums: millicredits, tokens or calls; always a whole number. */
export function measure(sums: MeasuredSums, metric: UsageMetric): number {
  if (metric === 'credits') return Number(toMillicredits(sums.charged));
  return metric === 'tokens' ? sums.promptTokens + sums.completionTokens : sums.calls;
}

/** The groups of a report as a stack, the largest first; beyond six, the rest is one. What is zero is left out. */
export function toStack(report: UsageReport, metric: UsageMetric): readonly StackedSeries[] {
  const all = report.groups
    .map(({ key, sums, buckets }) => ({
      key,
      values: buckets.map((bucket) => measure(bucket, metric)),
      total: measure(sums, metric),
    }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total);
  if (all.length <= coloursMax + 1) return all;
  const rest = all.slice(coloursMax);
  const values = report.buckets.map((_, index) => sum(rest.map((series) => series.values[index] ?? 0)));
  return [...all.slice(0, coloursMax), { key: null, values, total: sum(rest.map(({ total }) => total)) }];
}

/** Adds whole numbers. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** A measured figure in full: credits with three decimals, else grouped digits. */
export function formatMeasure(value: number, metric: UsageMetric): string {
  return metric === 'credits' ? formatMillicredits(value) : groupThousands(value);
}

/** A measured figure in as few letters as an axis has room for: `1.23K`, `3.4M`. */
export function formatMeasureShort(value: number, metric: UsageMetric): string {
  const whole = metric === 'credits' ? value / 1_000 : value;
  shortNumber ??= new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
  return shortNumber.format(whole);
}

// Made when a chart first needs it: to make one takes the browser longer than to read all of this file.
let shortNumber: Intl.NumberFormat | undefined;

/** Whole millicredits as credits with three decimals: `12,345.678`. */
export function formatMillicredits(millicredits: number | bigint): string {
  const amount = BigInt(millicredits);
  const digits = (amount < 0n ? -amount : amount).toString().padStart(4, '0');
  return `${amount < 0n ? '−' : ''}${groupThousands(digits.slice(0, -3))}.${digits.slice(-3)}`;
}

/** How much of a whole a part is, to the nearest tenth of a percent; what is some but not all never reads as none or as all. */
export function formatShare(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0 %';
  const permille = (BigInt(part) * 2_000n + BigInt(whole)) / (BigInt(whole) * 2n);
  if (permille === 0n) return 'under 0.1 %';
  if (permille === 1_000n && part < whole) return 'over 99.9 %';
  return `${permille / 10n}.${permille % 10n} %`;
}
