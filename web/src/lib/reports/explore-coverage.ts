import { formatBucket } from './bucket-name';

/**
 * Says what a report leaves out of what was chosen, and the way to it; empty where it leaves out nothing.
 * @param coveredFrom Where it begins, if that is later than was chosen.
 */
export function describeCoverage(
  { isCompared }: { readonly isCompared: boolean },
  { previous }: { readonly previous: unknown },
  coveredFrom: string | null,
): string {
  const isBeforeMissing = isCompared && previous === null;
  if (coveredFrom === null) return isBeforeMissing ? `${missingBefore} ` : '';
  const begin = `This begins on ${formatBucket(coveredFrom, 'HOUR')} UTC, later than you chose, because earlier there are too many requests to read one by one, or their receipts were removed.`;
  const way = 'To see that time, choose only those days, or group and filter by tag or end user but not both.';
  return [begin, way, ...(isBeforeMissing ? [missingBefore] : []), ''].join(' ');
}

const missingBefore =
  'The period before is left out, because it has too many requests to read one by one, or their receipts were removed.';
