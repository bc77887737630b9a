import type { TimedCall } from '../service/timing-samples.js';

/** How quickly some calls were answered. Times in milliseconds, from the call's arrival; null: nothing was measured. */
export interface AnswerTimes {
  /** The calls that the times are taken from. */
  readonly sampledCalls: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  /** To the first byte of the answer. */
  readonly firstByteP50Ms: number | null;
  readonly firstByteP95Ms: number | null;
  /** The median of streamed answers, from the first byte to the end. */
  readonly tokensPerSecond: number | null;
}

/** How long the answer of one call took. */
export type AnsweredCall = Pick<TimedCall, 'totalMs' | 'firstByteMs'>;

/** The nearest ranks of what was measured: each is a time that some call took. */
export function summariseTimes(calls: readonly AnsweredCall[]): Omit<AnswerTimes, 'tokensPerSecond'> {
  const totals = sorted(calls.map(({ totalMs }) => totalMs));
  const firstBytes = sorted(calls.map(({ firstByteMs }) => firstByteMs));
  return {
    sampledCalls: calls.length,
    p50Ms: nearestRank(totals, 0.5),
    p95Ms: nearestRank(totals, 0.95),
    p99Ms: nearestRank(totals, 0.99),
    firstByteP50Ms: nearestRank(firstBytes, 0.5),
    firstByteP95Ms: nearestRank(firstBytes, 0.95),
  };
}

/** The median speed of streamed answers, in tokens per second; null: nothing was measured. */
export function medianSpeed(calls: readonly TimedCall[]): number | null {
  return nearestRank(sorted(calls.map(findSpeed)), 0.5);
}

// An answer in one piece has its first byte when it is whole, so nothing can be said of its pace.
function findSpeed({ isStreamed, firstByteMs, totalMs, completionTokens }: TimedCall): number | null {
  if (!isStreamed || firstByteMs === null || totalMs <= firstByteMs || completionTokens === 0) return null;
  return Math.round((completionTokens * 10_000) / (totalMs - firstByteMs)) / 10;
}

/** The least value that at least this share of them does not exceed; null of none. @param sorted ascending */
export function nearestRank(sorted: ArrayLike<number>, share: number): number | null {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null;
}

/** What was measured, ascending; numbers alone are sorted in a fraction of the time that any list takes. */
export function sorted(values: readonly (number | null)[]): Float64Array {
  return new Float64Array(values.filter((value) => value !== null)).sort();
}
