import { formatUtcDay } from '../../lib/format/format-time';
import { formatUptime, gradeUptime } from '../../lib/reports/measure-words';
import classes from './status.module.css';

interface UptimeDaysProps {
  name: string;
  days: readonly { readonly start: string; readonly uptimePercent: number | null }[];
}

/** A bar for each of 30 days; what it stands for is told in words to whoever does not see it. */
export function UptimeDays({ name, days }: UptimeDaysProps) {
  const known = days.filter(({ uptimePercent }) => uptimePercent !== null);
  const worst = known.reduce<(typeof days)[number] | null>(
    (least, day) => (least === null || (day.uptimePercent ?? 0) < (least.uptimePercent ?? 0) ? day : least),
    null,
  );
  const words =
    worst === null
      ? `${name}: no day of the last 30 was measured`
      : `${name}: ${known.length} of the last 30 days were measured; the worst is ${formatUtcDay(worst.start)} with ${formatUptime(worst.uptimePercent)}`;
  return (
    <div className={classes.history}>
      <div className={classes.days} role="img" aria-label={words}>
        {days.map(({ start, uptimePercent }) => (
          <span
            key={start}
            data-grade={gradeUptime(uptimePercent)}
            title={`${formatUtcDay(start)}: ${formatUptime(uptimePercent)}`}
          />
        ))}
      </div>
      <div className={classes.ends} aria-hidden="true">
        <span>30 days ago</span>
        <span>today</span>
      </div>
    </div>
  );
}
