import { groupThousands, toMillicredits } from '../format/format-credits';
import { averageOfDays, daysLeft } from './runway';
import { formatShare } from './usage-series';

/** How the spending of one stretch of time compares with one of the same length before it. In millicredits. */
export interface SpendChange {
  readonly spent: number;
  readonly before: number;
}

const daysInPace = 7;

/** A change in whole percent with its sign, or null when there was nothing before to compare with: `+12 %`, `−3 %`. */
export function formatSpendChange({ spent, before }: SpendChange): string | null {
  if (before === 0) return null;
  const percent = ((BigInt(spent) - BigInt(before)) * 100n) / BigInt(before);
  const digits = groupThousands(percent < 0n ? -percent : percent);
  return percent === 0n ? '±0 %' : `${percent > 0n ? '+' : '−'}${digits} %`;
}

interface CallCounts {
  readonly calls: number;
  readonly failedCalls: number;
  /** Those of the failed calls that were charged; null: not known. */
  readonly chargedFailures: number | null;
}

/** How many calls failed, and which of them cost something: `1.2 % failed free, 0.8 % interrupted and charged in part`. */
export function describeFailedCalls({ calls, failedCalls, chargedFailures }: CallCounts): string {
  if (failedCalls === 0) return 'none failed';
  if (chargedFailures === null) return `${formatShare(failedCalls, calls)} failed or interrupted`;
  const parts = [
    ...(failedCalls > chargedFailures ? [`${formatShare(failedCalls - chargedFailures, calls)} failed free`] : []),
    ...(chargedFailures > 0 ? [`${formatShare(chargedFailures, calls)} interrupted, charged in part`] : []),
  ];
  return parts.join('; ');
}

/**
 * For how many days a balance lasts at the pace of the last week, or of the days since the first use when that is shorter. Of
 * today counts the part that has passed.
 *
 * @param available Credits, as the server sent them.
 * @param daily Millicredits of each day, the oldest first; the last one is today.
 * @returns null when nothing was used lately, since there is no pace then.
 */
export function runwayDays(available: number, daily: readonly number[], nowMs: number): number | null {
  const pace = averageOfDays(daily, daysInPace, nowMs);
  return pace === null ? null : Math.floor(daysLeft(Number(toMillicredits(available)), pace));
}

/** The runway as one says it: `about 9 days at this pace`. */
export function runwayWords(days: number): string {
  if (days === 0) return 'less than a day at this pace';
  if (days === 1) return 'about a day at this pace';
  if (days > 730) return 'years at this pace';
  return days > 60 ? `about ${Math.round(days / 30)} months at this pace` : `about ${days} days at this pace`;
}
