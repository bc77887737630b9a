import { formatMillicreditsAsDollars, groupThousands, toMillicredits } from '../format/format-credits';
import { formatDuration, formatDurationShort } from '../format/format-time';
import type { UsageSums } from './usage-series';
import { formatMillicredits } from './usage-series';

/** What was used in some stretch of time, as the server reports it: sums, or, where they were asked for, times. */
export interface ExploreCell {
  readonly sums?: UsageSums;
  readonly times?: {
    readonly p50Ms?: number | null;
    readonly p95Ms?: number | null;
    readonly p99Ms?: number | null;
    readonly firstByteP50Ms?: number | null;
    readonly firstByteP95Ms?: number | null;
    readonly tokensPerSecond?: number | null;
    readonly cachedPercent?: number | null;
    readonly cacheHitPercent?: number | null;
    readonly reasoningPercent?: number | null;
  } | null;
}

export type MoneyUnit = 'credits' | 'dollars';

/** A figure that can be explored. */
export interface ExploreMetric {
  readonly id: string;
  readonly label: string;
  /** What the server is asked for. */
  readonly asked:
    | 'COST'
    | 'REQUESTS'
    | 'FAILURES'
    | 'TOKENS'
    | 'INPUT_TOKENS'
    | 'OUTPUT_TOKENS'
    | 'CACHED_TOKENS'
    | 'REASONING_TOKENS'
    | 'TIMES';
  /** Whether parts add up to the whole, so that they may stand on top of each other. */
  readonly isSum: boolean;
  /** The figure of a cell: millicredits, tokens, requests, thousandths, milliseconds or tokens per second; null: there is none. */
  readonly read: (cell: ExploreCell) => number | null;
  readonly format: (value: number, unit: MoneyUnit) => string;
  /** As an axis has room for it; without one, `format` is short enough. */
  readonly formatShort?: (value: number) => string;
  /** As a plain number for a file. */
  readonly write: (value: number, unit: MoneyUnit) => string;
  /** What the column of a file is called. */
  readonly column: (unit: MoneyUnit) => string;
}

const whole = { format: (value: number) => groupThousands(value), write: (value: number) => String(value) };
const duration = {
  format: (value: number) => formatDuration(value),
  formatShort: formatDurationShort,
  write: (value: number) => String(value),
};
const time = (id: string, label: string, name: keyof NonNullable<ExploreCell['times']>): ExploreMetric => ({
  id,
  label,
  asked: 'TIMES',
  isSum: false,
  ...duration,
  read: ({ times }) => times?.[name] ?? null,
  column: () => `${id}_ms`,
});
const share = (id: string, label: string, name: keyof NonNullable<ExploreCell['times']>): ExploreMetric => ({
  id,
  label,
  asked: 'TIMES',
  isSum: false,
  read: ({ times }) => times?.[name] ?? null,
  format: (value) => `${value.toFixed(1)} %`,
  write: (value) => value.toFixed(1),
  column: () => `${id}_percent`,
});
const count = (id: string, label: string, asked: ExploreMetric['asked'], read: (sums: UsageSums) => number | null) => ({
  id,
  label,
  asked,
  isSum: true,
  ...whole,
  read: ({ sums }: ExploreCell) => (sums ? read(sums) : null),
  column: () => id,
});

/** Every figure that can be explored, in the order in which they are offered. */
export const exploreMetrics: readonly [ExploreMetric, ...ExploreMetric[]] = [
  {
    id: 'cost',
    label: 'Cost',
    asked: 'COST',
    isSum: true,
    read: ({ sums }) => (sums ? Number(toMillicredits(sums.charged)) : null),
    format: (value, unit) => (unit === 'credits' ? formatMillicredits(value) : formatMillicreditsAsDollars(value)),
    write: (value, unit) => writeThousandths(value, unit === 'credits' ? 3 : 6),
    column: (unit) => unit,
  },
  count('tokens', 'Tokens', 'TOKENS', (sums) => sums.promptTokens + sums.completionTokens),
  count('input_tokens', 'Tokens in', 'INPUT_TOKENS', (sums) => sums.promptTokens),
  count('output_tokens', 'Tokens out', 'OUTPUT_TOKENS', (sums) => sums.completionTokens),
  count('cached_tokens', 'Cached tokens in', 'CACHED_TOKENS', (sums) => sums.cachedTokens ?? null),
  count('reasoning_tokens', 'Reasoning tokens out', 'REASONING_TOKENS', (sums) => sums.reasoningTokens ?? null),
  count('requests', 'Requests', 'REQUESTS', (sums) => sums.calls),
  {
    id: 'error_rate',
    label: 'Error rate',
    asked: 'FAILURES',
    isSum: false,
    read: ({ sums }) => (sums && sums.calls > 0 ? Math.round((sums.failedCalls * 1_000) / sums.calls) : null),
    format: (value) => `${(value / 10).toFixed(1)} %`,
    write: (value) => (value / 1_000).toFixed(3),
    column: () => 'error_rate',
  },
  time('p50', 'Latency p50', 'p50Ms'),
  time('p95', 'Latency p95', 'p95Ms'),
  time('p99', 'Latency p99', 'p99Ms'),
  time('ttft_p50', 'TTFT p50', 'firstByteP50Ms'),
  time('ttft_p95', 'TTFT p95', 'firstByteP95Ms'),
  {
    id: 'tokens_per_second',
    label: 'Tokens per second',
    asked: 'TIMES',
    isSum: false,
    read: ({ times }) => times?.tokensPerSecond ?? null,
    format: (value) => `${value.toFixed(1)} tok/s`,
    write: (value) => String(value),
    column: () => 'tokens_per_second',
  },
  share('cached', 'Cached tokens in, share', 'cachedPercent'),
  share('cache_hits', 'Cache hits, share of requests', 'cacheHitPercent'),
  share('reasoning', 'Reasoning tokens out, share', 'reasoningPercent'),
];

/** A whole number with its last digits behind the point, digit by digit. */
function writeThousandths(value: number, decimals: number): string {
  const digits = String(value).padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
