import { Text } from '@mantine/core';
import { StackedBars } from '../../components/reports/stacked-bars';
import { SectionCard } from '../../components/section-card';
import { formatCreditsAsDollars } from '../../lib/format/format-credits';
import { describeBuckets, toChartPlaces } from '../../lib/reports/bucket-name';
import { toDay } from '../../lib/reports/calendar';
import { chartColors, type SeriesDimension } from '../../lib/reports/series-colors';
import type { Bucket } from '../../lib/reports/time-range';
import {
  formatMeasure,
  formatMeasureShort,
  measure,
  toStack,
  type UsageMetric,
  type UsageReport,
} from '../../lib/reports/usage-series';
import { usePresentHour } from '../../lib/use-now';
import { BucketTable } from './bucket-table';
import classes from './usage.module.css';

interface UsageChartProps {
  report: UsageReport;
  metric: UsageMetric;
  bucket: Bucket;
  division: SeriesDimension;
  /** What to call a group; null is all the small ones together. */
  nameOf: (key: string | null) => string;
  /** The address of the requests of a bar, or of a group in it; null: of all groups. */
  requestsOf: (bar: number, key: string | null) => string;
}

const metricTitles: Record<UsageMetric, string> = { credits: 'Credits', tokens: 'Tokens', calls: 'Calls' };
const bucketWords: Record<Bucket, string> = { HOUR: 'hour', DAY: 'day', MONTH: 'month' };

/** The bars, and below them, folded away, the very same figures as a table. */
export function UsageChart({ report, metric, bucket, division, nameOf, requestsOf }: UsageChartProps) {
  const stack = toStack(report, metric);
  const colors = chartColors(
    division,
    stack.map(({ key }) => key),
  );
  const series = stack.map((part, at) => ({
    ...part,
    id: part.key ?? '',
    label: nameOf(part.key),
    color: colors[at] ?? '',
  }));
  const linkOf = (bar: number, part: number) => requestsOf(bar, stack[part]?.key ?? null);
  const title = `${metricTitles[metric]} per ${bucketWords[bucket]}, by ${division}`;
  const format = (value: number) => formatMeasure(value, metric);
  return (
    <SectionCard
      title={title}
      description={`${describeBuckets(toDay(usePresentHour()))} A call counts where it began.`}
      action={
        <div className={classes.total}>
          <Text fz={22} fw={700} lh={1.2} className="numeric unbroken">
            {format(measure(report.total, metric))}
          </Text>
          <Text size="xs" c="dimmed">
            {metric} total{metric === 'credits' && `, ${formatCreditsAsDollars(report.total.charged)}`}
          </Text>
        </div>
      }
    >
      <StackedBars
        label={`${title}. The same figures are in the table below.`}
        bars={toChartPlaces(
          report.buckets.map(({ start }) => start),
          bucket,
        )}
        series={series}
        format={format}
        formatShort={(value) => formatMeasureShort(value, metric)}
        height={300}
        linkOf={linkOf}
      />
      <details className={classes.details}>
        <summary>Show this chart as a table</summary>
        <BucketTable report={report} metric={metric} bucket={bucket} series={series} title={title} linkOf={linkOf} />
      </details>
    </SectionCard>
  );
}
