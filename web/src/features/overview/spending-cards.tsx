import { Anchor, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { ErrorPanel } from '../../components/error-panel';
import { InPieces } from '../../components/in-pieces';
import { StackedBars } from '../../components/reports/stacked-bars';
import { SectionCard } from '../../components/section-card';
import { formatCreditsAsDollars } from '../../lib/format/format-credits';
import { formatBucket } from '../../lib/reports/bucket-name';
import { describeDayStart, toDay } from '../../lib/reports/calendar';
import { chartColors } from '../../lib/reports/series-colors';
import { describeFailedCalls, formatSpendChange, type SpendChange } from '../../lib/reports/spending';
import { formatMeasure, formatMeasureShort, formatMillicredits, sum } from '../../lib/reports/usage-series';
import { usePresentHour } from '../../lib/use-now';
import classes from './spending-cards.module.css';
import type { Spending } from './use-spending';

const daysShown = 30;
/** As the server compares them. */
const periods = [
  { days: 1, name: 'Today', before: 'yesterday' },
  { days: 7, name: '7 days', before: 'the 7 days before' },
  { days: 30, name: '30 days', before: 'the 30 days before' },
];
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
      description="Credits per day by model, the last 30 days."
      action={
        <Anchor component={Link} to={paths.usage()} size="sm" fw={550} className="unbroken lone-link">
          All usage
        </Anchor>
      }
    >
      <dl className={classes.tiles}>
        {periods.map(({ days, name, before }, at) => (
          <Tile
            key={name}
            name={name}
            {...tellSpent(sum(spending.daily.slice(-days)))}
            note={tellChange(spending.changes[at], before)}
          />
        ))}
        <Tile
          name="Calls, 30 days"
          value={formatMeasure(spending.calls, 'calls')}
          note={<FailureNote spending={spending} />}
        />
      </dl>
      <Text size="xs" c="dimmed" mb="md">
        {`Days begin at ${describeDayStart(today)}. Changes compare periods of the same length, each up to ${spending.comparedUntil.slice(11, 16)} UTC.`}
      </Text>
      <StackedBars
        label="Credits per day by model over the last 30 days. The usage page shows the same figures as a table."
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

/** How many calls failed; the words for it lead to them. */
function FailureNote({ spending }: { spending: Spending }) {
  const words = describeFailedCalls(spending);
  if (spending.failedCalls === 0) return words;
  return words.split(/(failed|interrupted)/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <Anchor
        key={part}
        component={Link}
        to={paths.requests(new URLSearchParams({ status: part, range: '30d' }))}
        inherit
        underline="always"
      >
        {part}
      </Anchor>
    ),
  );
}

function tellSpent(millicredits: number) {
  return { value: formatMillicredits(millicredits), worth: formatCreditsAsDollars(millicredits / 1_000) };
}

function tellChange(compared: SpendChange | undefined, before: string): string {
  const change = compared && formatSpendChange(compared);
  return change ? `${change} on ${before}` : 'no earlier period';
}

function Tile({ name, value, worth, note }: { name: string; value: string; worth?: string; note: ReactNode }) {
  return (
    <div className={classes.tile}>
      <dt>{name}</dt>
      <dd>
        <span className={classes.value}>{value}</span>
        {worth && <span className={classes.worth}> {worth}</span>}
        <Text span size="xs" c="dimmed" display="block">
          {note}
        </Text>
      </dd>
    </div>
  );
}
