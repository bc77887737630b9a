import { Text } from '@mantine/core';
import { formatDuration } from '../../lib/format-time';
import { type TimedReceipt, type TimelineStep, toTimeline } from '../../lib/request-timeline';
import { formatMillicredits } from '../../lib/usage-series';
import classes from './request-timeline.module.css';

/** What happened to time and money in the course of a call, step by step, with a bar for what took time. */
export function RequestTimeline({ call }: { call: TimedReceipt }) {
  const steps = toTimeline(call);
  return (
    <section aria-label="Timeline" className={classes.timeline}>
      <Text fw={600} size="sm" component="h3">
        Timeline of {formatDuration(call.totalMs)}
        {call.attempts.length > 1 && `, ${call.attempts.length} attempts, charged once`}
      </Text>
      <ol className={classes.steps}>
        {steps.map((step) => (
          <Step key={`${step.kind} ${step.label}`} step={step} totalMs={call.totalMs} />
        ))}
      </ol>
      <Text size="xs" c="dimmed">
        Attempts stand one after the other: pauses between them are not recorded, nor when exactly credits were reserved
        and booked.
      </Text>
    </section>
  );
}

function Step({ step, totalMs }: { step: TimelineStep; totalMs: number }) {
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
          : `${signs[kind] ?? ''}${formatMillicredits(millicredits)} credits`}
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

const signs: Partial<Record<TimelineStep['kind'], string>> = { booked: '−', 'given-back': '+' };
