import type { Bucket } from './time-range';

// The browser's own names would come with a table of all its languages, which a first page waits for.
const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** What to call a bucket, in UTC: `14:00`, `3 Nov`, `Nov 2026`. @param isShort For an axis. */
export function formatBucket(start: string, bucket: Bucket, { isShort = false } = {}): string {
  const at = new Date(start);
  const month = monthNames[at.getUTCMonth()];
  if (bucket === 'MONTH') return `${month} ${at.getUTCFullYear()}`;
  const day = `${at.getUTCDate()} ${month}`;
  if (bucket === 'DAY') return day;
  const hour = at.toISOString().slice(11, 16);
  return isShort ? hour : `${day}, ${hour}`;
}
