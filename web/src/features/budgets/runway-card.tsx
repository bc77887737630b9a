import { Text } from '@mantine/core';
import { paths } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { IconTrendingDown } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { LineChart } from '../../components/reports/line-chart';
import { SectionCard } from '../../components/section-card';
import { formatCredits, toMillicredits } from '../../lib/format/format-credits';
import { formatUtcDay } from '../../lib/format/format-time';
import { formatBucket } from '../../lib/reports/bucket-name';
import { averageOfDays, daysLeft, projectBalance } from '../../lib/reports/runway';
import { formatMeasureShort, formatMillicredits } from '../../lib/reports/usage-series';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';
import classes from './budgets.module.css';

interface RunwayCardProps {
  /** What the account has, reserved credits included. */
  credits: number;
  /** Credits of each day, the oldest first; the last one is today. */
  daily: readonly number[];
  nowMs: number;
}

const dayMs = 86_400_000;
const spans = [
  { days: 7, color: 'var(--series-1)' },
  { days: 30, color: 'var(--series-2)' },
] as const;

/** Where the balance goes if use goes on as in the last 7 and 30 days. */
export function RunwayCard({ credits, daily, nowMs }: RunwayCardProps) {
  const mayTry = mayDo(useRole(), 'build');
  const balance = Number(toMillicredits(credits));
  const spent = daily.map((used) => Number(toMillicredits(used)));
  const paces = spans.flatMap(({ days, color }) => {
    const pace = averageOfDays(spent, days, nowMs);
    return pace === null ? [] : [{ days, color, pace }];
  });
  if (paces.length === 0) {
    return (
      <SectionCard title="Runway">
        <EmptyState
          icon={<IconTrendingDown size={24} />}
          title="Nothing was used in the last 30 days"
          action={mayTry && <LinkButton to={paths.playground()}>Try a model</LinkButton>}
        >
          After your first calls, this shows how long {formatCredits(credits)} credits last.
        </EmptyState>
      </SectionCard>
    );
  }
  const lines = projectBalance(
    balance,
    paces.map(({ pace }) => pace),
  );
  const points = (lines[0] ?? []).map((_, day) => {
    const at = new Date(nowMs + day * dayMs).toISOString();
    const name = formatBucket(at, 'DAY');
    return { id: at, name, shortName: name };
  });
  return (
    <SectionCard
      title="Runway"
      description={`${formatCredits(credits)} credits, at your recent rate of use. Days in UTC.`}
    >
      <LineChart
        label="The balance over the coming days"
        points={points}
        series={paces.map(({ days, color }, at) => ({
          id: String(days),
          label: `At the average of ${days} days`,
          color,
          values: lines[at] ?? [],
          isDashed: days === 30,
        }))}
        format={formatMillicredits}
        formatShort={(value) => formatMeasureShort(value, 'credits')}
        height={240}
      />
      <dl className={classes.paces}>
        {paces.map(({ days, pace }) => (
          <div key={days}>
            <dt>At the average of {days} days</dt>
            <dd>
              {formatMillicredits(Math.round(pace))} credits a day: {untilWords(daysLeft(balance, pace), nowMs)}
            </dd>
          </div>
        ))}
      </dl>
      <Text size="sm" c="dimmed" mt="sm">
        An estimate from past use, not a guarantee. Automatic top-ups are not counted.
      </Text>
    </SectionCard>
  );
}

function untilWords(days: number, nowMs: number): string {
  if (days <= 0) return 'nothing is left';
  if (days > 730) return 'lasts for years';
  const whole = Math.floor(days);
  const until = formatUtcDay(new Date(nowMs + days * dayMs).toISOString());
  return `lasts ${whole === 1 ? '1 day' : `${whole} days`}, until ${until}`;
}
