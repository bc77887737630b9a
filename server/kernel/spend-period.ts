/** How often a key's spend limit begins anew: at 00:00 UTC, on Mondays, on the first of each month. */
export type SpendPeriod = 'day' | 'week' | 'month';

/** One period on the calendar. It begins with its first millisecond and ends before `endsAtMs`. */
export interface SpendSpan {
  /** `day 2026-01-31`, `week 2026-01-26`, `month 2026-01-01`: at most 16 ASCII characters. */
  readonly id: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

const dayMs = 86_400_000;

/** The beginning of the month, in UTC, in which a moment lies. */
export function monthOf(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

/** The beginning of the month after the one in which a moment lies. */
export function monthAfter(atMs: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** The period that a moment, in milliseconds since 1970-01-01 UTC, lies in. */
export function spanAt(period: SpendPeriod, atMs: number): SpendSpan {
  const [startsAtMs, endsAtMs] = boundsAt(period, atMs);
  return { id: `${period} ${new Date(startsAtMs).toISOString().slice(0, 10)}`, startsAtMs, endsAtMs };
}

function boundsAt(period: SpendPeriod, atMs: number): [number, number] {
  if (period === 'month') return [monthOf(atMs), monthAfter(atMs)];
  const date = new Date(atMs);
  const startOfDayMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  if (period === 'day') return [startOfDayMs, startOfDayMs + dayMs];
  // getUTCDay counts from Sunday.
  const mondayMs = startOfDayMs - ((date.getUTCDay() + 6) % 7) * dayMs;
  return [mondayMs, mondayMs + 7 * dayMs];
}
