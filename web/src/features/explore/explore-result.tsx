import { Button, Group, Text } from '@mantine/core';
import { IconDownload } from '../../components/icons';
import { LineChart } from '../../components/reports/line-chart';
import { StackedBars } from '../../components/reports/stacked-bars';
import { SectionCard } from '../../components/section-card';
import { saveText, writeCsv } from '../../lib/format/csv';
import { describeBuckets, toChartPlaces } from '../../lib/reports/bucket-name';
import { type Day, toDay } from '../../lib/reports/calendar';
import { describeCoverage } from '../../lib/reports/explore-coverage';
import { type ExploreMetric, exploreMetrics } from '../../lib/reports/explore-metrics';
import { type ExploreView, exploreDimensions, formatChange, toExploreRows } from '../../lib/reports/explore-view';
import { requestsBehind, spanOfBar } from '../../lib/reports/requests-behind';
import { othersColor } from '../../lib/reports/series-colors';
import type { Bucket } from '../../lib/reports/time-range';
import { formatMeasureShort } from '../../lib/reports/usage-series';
import type { LinkOfBar } from '../../lib/reports/use-pointed-bar';
import { usePresentHour } from '../../lib/use-now';
import classes from './explore.module.css';
import { ExploreFigures } from './explore-figures';
import { colorsOf } from './series-color-of';
import type { ExploreChoices } from './use-explore-choices';

interface ExploreResultProps {
  view: ExploreView;
  choices: ExploreChoices;
  arePartial: boolean;
  /** Where the report begins, if that is later than was chosen. */
  coveredFrom: string | null;
}

const bucketWords: Record<Bucket, string> = { HOUR: 'hour', DAY: 'day', MONTH: 'month' };

/** A title that says what is shown: "Cost per day, by model and key". */
function titleOf({ metric, bucket, dimensions }: ExploreChoices): string {
  const names = dimensions.map((id) => exploreDimensions.find((one) => one.id === id)?.label.toLowerCase());
  const by = names.length === 0 ? '' : `, by ${names.join(' and ')}`;
  return `${metric.label} per ${bucketWords[bucket]}${by}`;
}

/** The chart, and the same figures as a table; a table alone where that is wanted. */
export function ExploreResult({ view, choices, arePartial, coveredFrom }: ExploreResultProps) {
  const { metric, unit, shape } = choices;
  const title = titleOf(choices);
  const linkOf: LinkOfBar = (bar, part) => {
    const narrowing = { ...choices.narrowing, ...view.series[part]?.filter };
    return requestsBehind(spanOfBar(view.starts, bar, choices.span, choices.bucket), narrowing);
  };
  const figures = <ExploreFigures view={view} choices={choices} title={title} linkOf={linkOf} />;
  const change = formatChange(view.all.total, view.previous?.total ?? null);
  function download() {
    const name = `tollgate-${metric.id}-${view.starts[0]?.slice(0, 10)}.csv`;
    saveText(name, 'text/csv;charset=utf-8', writeCsv(toExploreRows(view, metric, unit)));
  }
  return (
    <SectionCard
      title={title}
      description={`${describeCoverage(choices, view, coveredFrom)}${describe(choices, view, { arePartial, today: toDay(usePresentHour()) })}`}
      action={
        <Group gap="lg" justify="flex-end">
          <Button variant="default" size="xs" leftSection={<IconDownload size={15} aria-hidden />} onClick={download}>
            CSV
          </Button>
          <div className={classes.total}>
            <Text fz={22} fw={700} lh={1.2} className="numeric unbroken">
              {view.all.total === null ? '–' : metric.format(view.all.total, unit)}
            </Text>
            <Text size="xs" c="dimmed">
              {view.previous === null
                ? `${metric.id === 'cost' ? `${unit} ` : ''}over the whole period`
                : `before: ${view.previous.total === null ? '–' : metric.format(view.previous.total, unit)}${change === null ? '' : `, ${change}`}`}
            </Text>
          </div>
        </Group>
      }
    >
      {shape === 'table' ? (
        figures
      ) : (
        <>
          <ExploreChart view={view} choices={choices} title={title} linkOf={linkOf} />
          <details className={classes.details}>
            <summary>Show this chart as a table</summary>
            {figures}
          </details>
        </>
      )}
    </SectionCard>
  );
}

/** What is added up has a figure for every time, but where it was not yet summed. */
function hasUnknown({ series, all }: ExploreView): boolean {
  return [...series, all].some(({ values }) => values.includes(null));
}

function describe(
  { metric, shape, span }: ExploreChoices,
  view: ExploreView,
  { arePartial, today }: { arePartial: boolean; today: Day },
): string {
  const daysBack = Math.ceil((span.toMs - span.fromMs) / 86_400_000);
  const isRunning = span.toMs > Date.now();
  const before =
    view.previous &&
    ` The period before is the same hours ${daysBack === 1 ? 'a day' : `${daysBack} days`} earlier${isRunning ? '; the current hour is not over, but is compared with a whole one' : ''}.`;
  const days = `${describeBuckets(today)} A request counts where it began.${before ?? ''}`;
  if (metric.isSum && hasUnknown(view)) {
    const gaps = shape === 'bars' ? 'have no bar here' : 'are gaps';
    return `Older hours have no figures for this. They ${gaps}, and show – in the table. ${days}`;
  }
  if (metric.asked !== 'TIMES') return days;
  const sample = arePartial ? ' Based on the newest requests of each bar, up to 3,000 together.' : '';
  return `Complete answers only.${sample} ${days}`;
}

type ExploreChartProps = Pick<ExploreResultProps, 'view' | 'choices'> & { title: string; linkOf: LinkOfBar };

function ExploreChart({ view, choices, title, linkOf }: ExploreChartProps) {
  const { metric, unit, bucket, shape, dimensions } = choices;
  const label = `${title}. The same figures are in the table below.`;
  const points = toChartPlaces(view.starts, bucket);
  const format = (value: number) => metric.format(value, unit);
  const shown = { label, format, height: 320, linkOf };
  const formatShort = (value: number) => shortOf(metric, value, format, unit);
  const colors = colorsOf(view, choices);
  const series = view.series.map((part, at) => ({ ...part, id: part.key ?? '', color: colors[at] ?? '' }));
  if (shape === 'bars') {
    const parts = series.map((part) => ({ ...part, values: part.values.map((value) => value ?? 0) }));
    return <StackedBars {...shown} bars={points} series={parts} formatShort={formatShort} />;
  }
  const before = view.previous && dimensions.length === 0 && { ...view.previous, isDashed: true };
  const lines = before ? [...series, { ...before, id: 'before', color: othersColor }] : series;
  return <LineChart {...shown} points={points} series={lines} formatShort={formatShort} />;
}

const rates: ReadonlySet<ExploreMetric> = new Set(exploreMetrics.filter(({ isSum }) => !isSum));

function shortOf(
  metric: ExploreMetric,
  value: number,
  format: (value: number) => string,
  unit: ExploreChoices['unit'],
): string {
  if (metric.formatShort) return metric.formatShort(value);
  // The unit stands in the title.
  if (metric.id === 'tokens_per_second') return String(value);
  if (metric.id !== 'cost') return rates.has(metric) ? format(value) : formatMeasureShort(value, 'tokens');
  return unit === 'credits' ? formatMeasureShort(value, 'credits') : `$${formatMeasureShort(value / 1_000, 'credits')}`;
}
