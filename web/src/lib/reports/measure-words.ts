import { formatDuration } from '../format/format-time';

interface Figures {
  readonly uptimePercent: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

const notMeasured = 'not measured yet';
/** So many calls of 30 days have figures: `attemptsMin` of the server's `service-measures.ts`. */
export const callsMeasured = 10;
/** In the place of a figure that may be there, but has not come. */
export const notKnown = '…';

/** `99.98 %`, or that it was not measured. */
export function formatUptime(percent: number | null): string {
  return percent === null ? notMeasured : `${percent.toFixed(2).replace(/\.?0+$/, '')} %`;
}

/** `1.20 s`, or that it was not measured. */
export function formatMeasuredTime(durationMs: number | null): string {
  return durationMs === null ? notMeasured : formatDuration(durationMs);
}

/** The figures of a provider in one line: `99.98 % up · p50 1.20 s · p95 4.02 s`, which breaks between two of them and nowhere else. */
export function describeFigures(figures: Figures | null | undefined): string {
  if (figures === undefined) return notKnown;
  if (figures === null || figures.uptimePercent === null) return `fewer than ${callsMeasured} calls`;
  const times =
    figures.p50Ms === null
      ? []
      : [`p50 ${formatMeasuredTime(figures.p50Ms)}`, `p95 ${formatMeasuredTime(figures.p95Ms)}`];
  const unbroken = [`${formatUptime(figures.uptimePercent)} up`, ...times].map((words) =>
    words.replaceAll(' ', '\u00a0'),
  );
  return unbroken.join(' · ');
}

/** How a day is drawn: all answered, nearly all, fewer, or nothing known. */
export function gradeUptime(percent: number | null): 'full' | 'high' | 'low' | 'none' {
  if (percent === null) return 'none';
  if (percent >= 99.5) return 'full';
  return percent >= 95 ? 'high' : 'low';
}
