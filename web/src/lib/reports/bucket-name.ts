import { isMonthFirst } from '../format/format-time';
import { readerZone, shortenMonth } from '../format/reader-locale';
import { type Day, describeDayStart } from './calendar';
import type { Bucket } from './time-range';

// The browser's own names would come with a table of all its languages, which a first page waits for.
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

let isMonthBefore: boolean | undefined;

/** In the order of the reader's other dates: `3 Nov`, or `Nov 3`. */
function nameDayOf(day: number | string, month: string | undefined): string {
  isMonthBefore ??= isMonthFirst();
  return isMonthBefore ? `${month} ${day}` : `${day} ${month}`;
}

/** What to call a bucket, in UTC: `3 Nov, 14:00`, `3 Nov`, `Nov 2026`. */
export function formatBucket(start: string, bucket: Bucket): string {
  const at = new Date(start);
  const month = monthNames[at.getUTCMonth()];
  if (bucket === 'MONTH') return `${month} ${at.getUTCFullYear()}`;
  const day = nameDayOf(at.getUTCDate(), month);
  if (bucket === 'DAY') return day;
  return `${day}, ${hourOf(start)}`;
}

function hourOf(start: string): string {
  return new Date(start).toISOString().slice(11, 16);
}

/** Of more hours an axis names the days that they are of. */
const hoursNamedMax = 48;

/** The places of a chart of these buckets. On an axis of many hours only the first one of each day has a name, which is the day's. */
export function toChartPlaces(starts: readonly string[], bucket: Bucket) {
  const nameOf = bucketNamer(bucket);
  const nameShort = (start: string) => {
    if (bucket !== 'HOUR') return formatBucket(start, bucket);
    if (starts.length <= hoursNamedMax) return hourOf(start);
    return hourOf(start) === '00:00' ? formatBucket(start, 'DAY') : '';
  };
  return starts.map((start) => ({ id: start, name: nameOf(start), shortName: nameShort(start) }));
}

/**
 * What to call each bucket of a chart whose hours the reader compares with their own: `3 Nov UTC`, and of an hour also when it is where
 * they are: `3 Nov, 14:00 UTC (4 Nov, 03:00 in your time zone)`.
 */
export function bucketNamer(bucket: Bucket, zone = readerZone()): (start: string) => string {
  const day = { day: 'numeric', month: 'short' } as const;
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone } as const;
  const local = new Intl.DateTimeFormat('en-GB', { ...day, ...time });
  return (start) => {
    const name = formatBucket(start, bucket);
    const parts = local.formatToParts(new Date(start));
    const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
    const there = `${nameDayOf(part('day'), shortenMonth(part('month')))}, ${part('hour')}:${part('minute')}`;
    return bucket !== 'HOUR' || there === name ? `${name} UTC` : `${name} UTC (${there} in your time zone)`;
  };
}

/** How the times of a chart are meant, for a reader anywhere: they are those of billing. */
export function describeBuckets(today: Day, zone = readerZone()): string {
  const words = 'Hours, days and months are in UTC';
  return zone === 'UTC' ? `${words}.` : `${words}: days begin at ${describeDayStart(today, undefined, zone)}.`;
}
