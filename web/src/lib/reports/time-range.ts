import { addDays, type Day, dayFormWords, isDay } from './calendar';

export type Bucket = 'HOUR' | 'DAY' | 'MONTH';

/** Stretches of time that a page offers by name, the shortest first. All of them end now and begin in UTC. */
export const rangePresets = [
  { id: '24h', label: '24h', words: 'the last 24 hours' },
  { id: '7d', label: '7d', words: 'the last 7 days' },
  { id: '30d', label: '30d', words: 'the last 30 days' },
  { id: 'month', label: 'Month', words: 'this month' },
  { id: '90d', label: '90d', words: 'the last 90 days' },
  { id: '12m', label: '12m', words: 'the last 12 months' },
] as const;

export type RangePreset = (typeof rangePresets)[number]['id'];

/** What was chosen: a preset, or whole days (`2026-11-03`) or hours (`2026-11-03T14`) in UTC, the last one included. */
export type RangeChoice =
  | { readonly preset: RangePreset }
  | { readonly preset: 'custom'; readonly first: string; readonly last: string };

export interface TimeSpan {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const bucketsShownMax = 400;
const daysMax = 3 * 366;
/** The server takes no time before it. */
const firstDayOfAll: Day = '1970-01-01';

/**
 * The choice that an address names: `?range=7d`, `?from=2026-01-01&to=2026-01-31`, or, as bars of charts lead to,
 * `?from=2026-01-01T14&to=2026-01-01T14`; what is faulty is the fallback.
 */
export function readRange(search: URLSearchParams, fallback: RangePreset): RangeChoice {
  const [first, last] = [search.get('from') ?? '', search.get('to') ?? ''];
  const isCustom = (isDay(first) && isDay(last)) || (isHour(first) && isHour(last));
  if (isCustom && isPossible(first, last)) return { preset: 'custom', first, last };
  const preset = rangePresets.find(({ id }) => id === search.get('range'));
  return { preset: preset?.id ?? fallback };
}

function isHour(text: string): boolean {
  return /^.{10}T([01]\d|2[0-3])$/.test(text) && isDay(text.slice(0, 10));
}

/** @param first A day or an hour, and `last` one of the same kind: both compare as their texts do. */
function isPossible(first: string, last: string): boolean {
  return first >= firstDayOfAll && first <= last && last < addDays(first.slice(0, 10), daysMax);
}

/** What is wrong with two days as they were typed, and with which of them; null: they can be shown. */
export function findDaysFault(
  first: string,
  last: string,
  today: Day,
): { readonly end: 'first' | 'last'; readonly words: string } | null {
  if (!isDay(first)) return { end: 'first', words: dayFormWords };
  if (!isDay(last)) return { end: 'last', words: dayFormWords };
  if (first > today) return { end: 'first', words: 'This day is in the future.' };
  if (first < firstDayOfAll) return { end: 'first', words: 'Choose a day from 1970 on.' };
  if (last < first) return { end: 'last', words: 'The last day is before the first.' };
  if (!isPossible(first, last)) return { end: 'last', words: 'Choose at most three years.' };
  return null;
}

/** Writes a choice into an address; everything else there stays. */
export function writeRange(search: URLSearchParams, choice: RangeChoice): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const name of ['range', 'from', 'to']) next.delete(name);
  if (choice.preset === 'custom') {
    next.set('from', choice.first);
    next.set('to', choice.last);
  } else next.set('range', choice.preset);
  return next;
}

/** The same address without a choice of the length of a bar: another time has another usual one. */
export function withoutBucket(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search);
  next.delete('per');
  return next;
}

/** The stretch of time of a choice. It ends with the present hour, so that it stays the same for a while. */
export function spanOf(choice: RangeChoice, nowMs: number): TimeSpan {
  if (choice.preset === 'custom') {
    const [fromMs, lastMs] = [choice.first, choice.last].map((text) => Date.parse(isHour(text) ? `${text}:00Z` : text));
    return { fromMs: fromMs as number, toMs: (lastMs as number) + (isHour(choice.last) ? hourMs : dayMs) };
  }
  const toMs = nowMs - (nowMs % hourMs) + hourMs;
  const today = nowMs - (nowMs % dayMs);
  const now = new Date(nowMs);
  const fromMs = {
    '24h': toMs - 24 * hourMs,
    '7d': today - 6 * dayMs,
    '30d': today - 29 * dayMs,
    month: Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1),
    '90d': today - 89 * dayMs,
    '12m': Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 11, 1),
  }[choice.preset];
  return { fromMs, toMs };
}

/**
 * The part of a time that has begun, for what is compared with a time before it: of a day that is not over, a part would stand beside a whole
 * one. It ends with the present hour, as presets do; as it is where none of it has begun.
 */
export function begunOf({ fromMs, toMs }: TimeSpan, nowMs: number): TimeSpan {
  const endMs = nowMs - (nowMs % hourMs) + hourMs;
  return { fromMs, toMs: endMs > fromMs ? Math.min(toMs, endMs) : toMs };
}

/** The choice of exactly this time, of whole hours: by its days where it has only whole ones. */
export function choiceOf({ fromMs, toMs }: TimeSpan): RangeChoice {
  const length = fromMs % dayMs === 0 && toMs % dayMs === 0 ? 10 : 13;
  const [first = '', last = ''] = [fromMs, toMs - 1].map((ms) => new Date(ms).toISOString().slice(0, length));
  return { preset: 'custom', first, last };
}

/** The time as reports are asked of it: this and no more, however long their buckets are. */
export function toReportTime({ fromMs, toMs }: TimeSpan) {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), exact: true };
}

/** The bucket lengths that make a readable chart of this time, the finest first; there is always one. */
export function possibleBuckets({ fromMs, toMs }: TimeSpan): readonly Bucket[] {
  const lengthMs = toMs - fromMs;
  const buckets: Bucket[] = [];
  if (lengthMs / hourMs <= bucketsShownMax) buckets.push('HOUR');
  if (lengthMs / dayMs <= bucketsShownMax && lengthMs > dayMs) buckets.push('DAY');
  if (lengthMs > 45 * dayMs) buckets.push('MONTH');
  return buckets;
}

/** The bucket to begin with: hours up to two days, months beyond half a year, else days. */
export function usualBucket(span: TimeSpan): Bucket {
  const lengthMs = span.toMs - span.fromMs;
  if (lengthMs <= 2 * dayMs) return 'HOUR';
  return lengthMs > 185 * dayMs ? 'MONTH' : 'DAY';
}
