import { formatDay, formatRelativeTime } from './format-time';
import { readerLocale, shortenMonth } from './reader-locale';

const dayMs = 86_400_000;

/**
 * When a line of a list was: how long ago within the last 24 hours, before that its day and minute where the reader is, so that two of a
 * day can be told apart: `19 Nov, 14:32`. In another year its day.
 *
 * @param at ISO 8601.
 */
export function formatMoment(at: string, now: Date): string {
  const then = new Date(at);
  if (now.getTime() - then.getTime() < dayMs) return formatRelativeTime(at, now);
  return then.getFullYear() === now.getFullYear() ? shortenMonth(dayAndMinute().format(then)) : formatDay(at);
}

let format: Intl.DateTimeFormat | null = null;

function dayAndMinute(): Intl.DateTimeFormat {
  const options = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  format ??= new Intl.DateTimeFormat(readerLocale(), options);
  return format;
}
