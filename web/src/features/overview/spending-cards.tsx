import { Anchor, Skeleton, Text } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { ErrorPanel } from '../../components/error-panel';
import { SectionCard } from '../../components/section-card';
import { StackedBars } from '../../components/stacked-bars';
import { compareDays, formatChange } from '../../lib/spending';
import { formatBucket } from '../../lib/time-range';
import {
  formatMeasure,
  formatMeasureShort,
  formatMillicredits,
  formatShare,
  sum,
  toStack,
} from '../../lib/usage-series';
import classes from './spending-cards.module.css';
import { lastDays, type Spending } from './use-spending';

const shownDays = 30;

interface SpendingCardsProps {
  spending: Spending | undefined;
  error: unknown;
}

/** What was spent today, this week and this month, and on which models. */
export function SpendingCards({ spending, error }: SpendingCardsProps) {
  if (!spending) {
    return error ? (
      <ErrorPanel title="Your spending could not be loaded" error={error} />
    ) : (
      <Skeleton height={420} radius="lg" />
    );
  }
  const recent = lastDays(spending.report, shownDays);
  return (
    <SectionCard
      title="Spending"
      description="Credits per day by model, the last 30 days. Days begin at 00:00 UTC."
      action={
        <Anchor component={Link} to={paths.usage()} size="sm" fw={550} className="unbroken">
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
          value={formatMeasure(recent.total.calls, 'calls')}
          note={`${formatShare(recent.total.failedCalls, recent.total.calls)} failed, for free`}
        />
      </dl>
      <StackedBars
        label="Credits per day by model over the last 30 days. The usage page has the same figures as a table."
        bars={recent.buckets.map(({ start }) => ({
          name: formatBucket(start, 'DAY'),
          shortName: formatBucket(start, 'DAY'),
        }))}
        series={toStack(recent, 'credits').map(({ key, values }) => ({ label: key ?? 'All others', values }))}
        format={(value) => formatMillicredits(value)}
        formatShort={(value) => formatMeasureShort(value, 'credits')}
        height={220}
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
  const change = formatChange(compared);
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
