import { Text } from '@mantine/core';
import { formatDuration } from '../../lib/format/format-time';
import { formatMillicredits } from '../../lib/reports/usage-series';
import { type TimedReceipt, type TimelineStep, toTimeline } from '../../lib/requests/request-timeline';
import classes from './request-timeline.module.css';

/** What happened to time and money in the course of a call, step by step, with a bar for what took time. */
export function RequestTimeline({ call }: { call: TimedReceipt }) {
  const steps = toTimeline(call);
  const knowsStarts = call.attempts.every(({ startMs }) => typeof startMs === 'number');
  return (
    <section aria-label="Timeline" className={classes.timeline}>
      <Text fw={600} size="sm" component="h3">
        Timeline of {formatDuration(call.totalMs)}
        {call.attempts.length > 1 && `, ${call.attempts.length} attempts, charged once`}
      </Text>
      <ol className={classes.steps}>
        {steps.map((step) => (
          <Step key={`${step.kind} ${step.label}`} step={step} knowsStarts={knowsStarts} totalMs={call.totalMs} />
        ))}
      </ol>
      <Text size="xs" c="dimmed">
        {knowsStarts
          ? 'Credits were reserved before the first attempt and booked when the answer ended.'
          : 'Attempts are shown one after the other, because this receipt is from before start times were recorded.'}
      </Text>
    </section>
  );
}

function Step({ step, totalMs, knowsStarts }: { step: TimelineStep; totalMs: number; knowsStarts: boolean }) {
  const { kind, label, startMs, endMs, millicredits } = step;
  const isMoment = startMs === endMs;
  const share = (ms: number) => `${(100 * ms) / Math.max(1, totalMs)}%`;
  return (
    <li className={classes.step}>
      <span className={classes.label}>{label}</span>
      <span className={classes.figure}>
        {millicredits === null
          ? isMoment
            ? `at ${formatDuration(startMs)}`
            : formatDuration(endMs - startMs)
          : `${signs[kind] ?? ''}${formatMillicredits(millicredits)} credits${knowsStarts && timed.has(kind) ? ` at ${formatDuration(startMs)}` : ''}`}
      </span>
      {millicredits === null && (
        <span className={classes.track} aria-hidden="true">
          <span
            className={classes.bar}
            data-kind={kind}
            data-moment={isMoment || undefined}
            style={{ left: share(startMs), width: isMoment ? undefined : share(endMs - startMs) }}
          />
        </span>
      )}
    </li>
  );
}

/** Moments of money that have a time of their own. */
const timed: ReadonlySet<TimelineStep['kind']> = new Set(['reserved', 'booked']);

const signs: Partial<Record<TimelineStep['kind'], string>> = { booked: '−', 'given-back': '+' };
