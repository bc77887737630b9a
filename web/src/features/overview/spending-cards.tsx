import { Anchor, Skeleton, Text } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { ErrorPanel } from '../../components/error-panel';
import { InPieces } from '../../components/in-pieces';
import { StackedBars } from '../../components/reports/stacked-bars';
import { SectionCard } from '../../components/section-card';
import { formatBucket } from '../../lib/reports/bucket-name';
import { describeDayStart, toDay } from '../../lib/reports/calendar';
import { chartColors } from '../../lib/reports/series-colors';
import { compareDays, describeFailedCalls, formatSpendChange } from '../../lib/reports/spending';
import { formatMeasure, formatMeasureShort, formatMillicredits, sum } from '../../lib/reports/usage-series';
import { usePresentHour } from '../../lib/use-now';
import classes from './spending-cards.module.css';
import type { Spending } from './use-spending';

const daysShown = 30;
const dayMs = 86_400_000;

interface SpendingCardsProps {
  spending: Spending | undefined;
  error: unknown;
  onRetry: () => unknown;
}

/** What was spent today, this week and this month, and on which models. */
export function SpendingCards({ spending, error, onRetry }: SpendingCardsProps) {
  const outline = <Skeleton height={420} radius="lg" />;
  if (!spending) {
    return error ? <ErrorPanel title="Your spending could not be loaded" error={error} onRetry={onRetry} /> : outline;
  }
  return (
    <InPieces outline={outline}>
      <LoadedSpending spending={spending} />
    </InPieces>
  );
}

function LoadedSpending({ spending }: { spending: Spending }) {
  const today = toDay(usePresentHour());
  const bars = spending.daily.slice(-daysShown).map((_, index) => {
    const atMs = spending.fromMs + (spending.daily.length - daysShown + index) * dayMs;
    const start = new Date(atMs).toISOString();
    const name = formatBucket(start, 'DAY');
    return { id: start, name, shortName: name };
  });
  const colors = chartColors(
    'model',
    spending.models.map(({ model }) => model),
  );
  return (
    <SectionCard
      title="Spending"
      description={`Credits per day by model, the last 30 days. Days begin at ${describeDayStart(today)}.`}
      action={
        <Anchor component={Link} to={paths.usage()} size="sm" fw={550} className="unbroken lone-link">
          All usage
        </Anchor>
      }
    >
      <dl className={classes.tiles}>
        <Tile name="Today" {...todayAndYesterday(spending.daily)} />
        <Tile name="7 days" {...withChange(spending.daily, 7)} />
        <Tile name="30 days" {...withChange(spending.daily, 30)} />
        <Tile
          name="Calls, 30 days"
          value={formatMeasure(spending.calls, 'calls')}
          note={describeFailedCalls(spending)}
        />
      </dl>
      <StackedBars
        label="Credits per day by model over the last 30 days. The usage page has the same figures as a table."
        bars={bars}
        series={spending.models.map(({ model, daily }, at) => ({
          id: model ?? '',
          label: model ?? 'All others',
          color: colors[at] ?? '',
          values: daily,
        }))}
        format={(value) => formatMillicredits(value)}
        formatShort={(value) => formatMeasureShort(value, 'credits')}
        height={220}
        linkOf={(bar, part) => {
          // Its whole day, in UTC.
          const day = bars[bar]?.id.slice(0, 10) ?? '';
          const model = spending.models[part]?.model;
          return paths.requests(new URLSearchParams({ ...(model && { model }), from: day, to: day }));
        }}
      />
    </SectionCard>
  );
}

function todayAndYesterday(daily: readonly number[]) {
  const { spent, before } = compareDays(daily, 1);
  return { value: formatMillicredits(spent), note: `${formatMillicredits(before)} yesterday` };
}

function withChange(daily: readonly number[], days: number) {
  const compared = compareDays(daily, days);
  const change = formatSpendChange(compared);
  const note = change === null ? 'nothing before to compare' : `${change} on the ${days} days before`;
  return { value: formatMillicredits(sum(daily.slice(-days))), note };
}

function Tile({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <div className={classes.tile}>
      <dt>{name}</dt>
      <dd>
        <span className={classes.value}>{value}</span>
        <Text span size="xs" c="dimmed" display="block">
          {note}
        </Text>
      </dd>
    </div>
  );
}
