import { groupThousands } from './format-credits';
import { readerLocale, shortenMonth } from './reader-locale';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const absolute = madeLater({ dateStyle: 'medium', timeStyle: 'medium' });
const utcMinute = madeLater({ dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const utcDay = madeLater({ dateStyle: 'medium', timeZone: 'UTC' });
const dateOnly = madeLater({ dateStyle: 'medium' });
// Sweden writes days as they are read here.
const isoDay = (zone?: string) =>
  new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', ...(zone && { timeZone: zone }) });
const isoDayHere = madeLater({ dateStyle: 'short' }, () => 'sv-SE');

/** A format that is made when it is first asked for: the first one of a page takes longer than all else that its first script does. */
function madeLater(options: Intl.DateTimeFormatOptions, locale = readerLocale): () => Intl.DateTimeFormat {
  let format: Intl.DateTimeFormat | null = null;
  return () => {
    format ??= new Intl.DateTimeFormat(locale(), options);
    return format;
  };
}

/** Makes the format that most pages need, so that none waits for it while it is drawn. Takes a telephone some 80 ms. */
export function prepareTimes(): void {
  absolute();
}

/**
 * How long ago an instant was, in words; from the seventh day on its date. From 24 hours on, days are those of the reader's calendar:
 * `yesterday` is the day before today, however long each was. An instant slightly ahead (clocks differ) is `just now`.
 *
 * @param at ISO 8601.
 * @param zone The reader's time zone, where it is not the browser's.
 */
export function formatRelativeTime(at: string, now: Date, zone?: string): string {
  const ageMs = now.getTime() - new Date(at).getTime();
  if (ageMs < 10 * secondMs) return 'just now';
  if (ageMs < minuteMs) return `${Math.floor(ageMs / secondMs)} s ago`;
  if (ageMs < hourMs) return `${Math.floor(ageMs / minuteMs)} min ago`;
  const hours = Math.floor(ageMs / hourMs);
  if (hours < 24) return `${hours} h ago`;
  if (hours > 8 * 24) return formatDay(at);
  const days = calendarDay(now, zone) - calendarDay(new Date(at), zone);
  // A day on which clocks are set back has 25 hours.
  if (days === 0) return `${hours} h ago`;
  if (days === 1) return 'yesterday';
  return days < 7 ? `${days} days ago` : formatDay(at);
}

/** The number of the day that an instant is in where the reader is: the next day has the next one, also where clocks are set. */
function calendarDay(at: Date, zone?: string): number {
  return Date.parse((zone === undefined ? isoDayHere() : isoDay(zone)).format(at)) / dayMs;
}

/** Whether the reader writes the month of a date before its day. */
export function isMonthFirst(): boolean {
  const parts = absolute()
    .formatToParts(0)
    .map(({ type }) => type);
  return parts.indexOf('month') < parts.indexOf('day');
}

/** An instant in the reader's own locale and time zone, to the second. */
export function formatAbsoluteTime(at: string): string {
  return shortenMonth(absolute().format(new Date(at)));
}

/** The day of an instant in the reader's own locale and time zone: `20 Nov 2026`. */
export function formatDay(at: string): string {
  return shortenMonth(dateOnly().format(new Date(at)));
}

/** The day of an instant in UTC: `20 Nov 2026`. */
export function formatUtcDay(at: string): string {
  return shortenMonth(utcDay().format(new Date(at)));
}

/** An instant in UTC, to the minute: `1 Dec 2026, 00:00 UTC`. */
export function formatUtcMinute(at: string): string {
  return `${shortenMonth(utcMinute().format(new Date(at)))} UTC`;
}

/** An instant in UTC, to the second: `2026-11-20 13:05:09 UTC`. */
export function formatUtcTime(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A round span of time in as few letters as an axis has room for: `250 ms`, `2.5 s`, `80 s`. */
export function formatDurationShort(durationMs: number): string {
  if (durationMs === 0) return '0';
  if (durationMs < secondMs) return `${Math.round(durationMs)} ms`;
  const seconds = durationMs / secondMs;
  return `${Number.isInteger(seconds) ? groupThousands(seconds) : seconds} s`;
}

/** A span of time with the unit that suits its size: `412 ms`, `1.86 s`, `2 min 4 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < secondMs) return `${Math.round(durationMs)} ms`;
  if (durationMs < minuteMs) return `${(durationMs / secondMs).toFixed(2)} s`;
  return `${Math.floor(durationMs / minuteMs)} min ${Math.floor((durationMs % minuteMs) / secondMs)} s`;
}
