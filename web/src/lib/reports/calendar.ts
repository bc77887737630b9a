import { readerLocale, readerZone, shortenMonth } from '../format/reader-locale';

/** A day in UTC, as `2026-11-03`: days compare as their texts do. */
export type Day = string;

/** What is said of a text that is no day. */
export const dayFormWords = 'Write it as 2026-11-03.';

const dayMs = 86_400_000;
const daysOfWeek = 7;

export function toDay(epochMs: number): Day {
  return new Date(epochMs).toISOString().slice(0, 10);
}

/** Whether a text is a day that exists: 31 February does not. */
export function isDay(text: string | null): text is Day {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const atMs = Date.parse(text);
  return !Number.isNaN(atMs) && toDay(atMs) === text;
}

export function addDays(day: Day, days: number): Day {
  return toDay(Date.parse(day) + days * dayMs);
}

/** The same day of another month, or the last one where that month is shorter. */
export function addMonths(day: Day, months: number): Day {
  const at = new Date(day);
  const first = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1);
  const next = new Date(first);
  const lastDate = new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 0)).getUTCDate();
  return toDay(first + (Math.min(at.getUTCDate(), lastDate) - 1) * dayMs);
}

/** The first and the last day of the month before that of a day. */
export function monthBefore(day: Day): { readonly first: Day; readonly last: Day } {
  const firstOfThis = `${day.slice(0, 7)}-01`;
  return { first: addMonths(firstOfThis, -1), last: addDays(firstOfThis, -1) };
}

export function earlierOf(one: Day, other: Day): Day {
  return one < other ? one : other;
}

export function laterOf(one: Day, other: Day): Day {
  return one < other ? other : one;
}

export function isSameMonth(one: Day, other: Day): boolean {
  return one.slice(0, 7) === other.slice(0, 7);
}

/** The first day of the week that a day is in. @param weekStart 1 (Monday) to 7 (Sunday) */
export function startOfWeek(day: Day, weekStart: number): Day {
  const weekday = new Date(day).getUTCDay() || daysOfWeek;
  return addDays(day, -((weekday - weekStart + daysOfWeek) % daysOfWeek));
}

/** The weeks of the month of a day, whole ones, with days of the months beside it. */
export function weeksOf(day: Day, weekStart: number): readonly (readonly Day[])[] {
  const weeks: Day[][] = [];
  for (
    let start = startOfWeek(`${day.slice(0, 7)}-01`, weekStart);
    weeks.length === 0 || isSameMonth(start, day);
    start = addDays(start, daysOfWeek)
  ) {
    weeks.push(Array.from({ length: daysOfWeek }, (_, at) => addDays(start, at)));
  }
  return weeks;
}

interface WeekInfo {
  readonly firstDay?: number;
}

/** With which day weeks begin where the reader is: 1 (Monday) to 7 (Sunday); Monday where the browser does not know. */
export function weekStartOf(locale = readerLocale()): number {
  const known = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?(): WeekInfo; readonly weekInfo?: WeekInfo };
  return known.getWeekInfo?.().firstDay ?? known.weekInfo?.firstDay ?? 1;
}

// Whatever calendar the reader's language has: the days that are shown and typed are those of this one.
const inUtc = { calendar: 'gregory', timeZone: 'UTC' } as const;

/** `November 2026`, in the reader's language. */
export function nameMonth(day: Day, locale = readerLocale()): string {
  return new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', ...inUtc }).format(Date.parse(day));
}

/** `Tuesday 3 November 2026`, in the reader's language. */
export function nameDay(day: Day, locale = readerLocale()): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'full', ...inUtc }).format(Date.parse(day));
}

/** `1–30 Nov 2026 UTC`, in the reader's language. */
export function nameDays(firstDay: Day, lastDay: Day, locale = readerLocale()): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...inUtc });
  return `${shortenMonth(format.formatRange(Date.parse(firstDay), Date.parse(lastDay)))} UTC`;
}

/** `3 Nov 2026, 14:00 – 15:00 UTC`, in the reader's language. @param toMs Exclusive. */
export function nameHours(fromMs: number, toMs: number, locale = readerLocale()): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', ...inUtc });
  return `${shortenMonth(format.formatRange(fromMs, toMs))} UTC`;
}

/** The names of the days of a week, short and whole. */
export function nameWeekdays(
  weekStart: number,
  locale = readerLocale(),
): readonly { readonly short: string; readonly long: string }[] {
  const [short, long] = (['short', 'long'] as const).map(
    (weekday) => new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }),
  );
  // 5 January 1970 was a Monday.
  const days = Array.from({ length: daysOfWeek }, (_, at) => (4 + weekStart - 1 + at) * dayMs);
  return days.map((atMs) => ({ short: short?.format(atMs) ?? '', long: long?.format(atMs) ?? '' }));
}

/**
 * When a day of billing begins for the reader: `00:00 UTC, which is 01:00 in your time zone (Europe/Berlin)`, or west of UTC
 * `00:00 UTC, which is 19:00 the day before in your time zone (America/New_York)`.
 */
export function describeDayStart(day: Day, locale = readerLocale(), zone = readerZone()): string {
  if (zone === 'UTC') return '00:00 UTC';
  const startMs = Date.parse(day);
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: zone }).format(startMs);
  // Sweden writes days as we do.
  const theirDay = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: zone }).format(startMs);
  return `00:00 UTC, which is ${time}${theirDay < day ? ' the day before' : ''} in your time zone (${zone})`;
}
