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

/** The nearest ranks of what was measured: each is a time that some call took. */
export function summariseTimes(calls: readonly TimedCall[]): AnswerTimes {
  const firstByteTimes: number[] = [];
  const measuredSpeeds: number[] = [];
  for (const call of calls) {
    if (call.firstByteMs !== null) firstByteTimes.push(call.firstByteMs);
    const speed = findSpeed(call);
    if (speed !== null) measuredSpeeds.push(speed);
  }
  const totals = sorted(calls.map(({ totalMs }) => totalMs));
  const [firstBytes, speeds] = [sorted(firstByteTimes), sorted(measuredSpeeds)];
  return {
    sampledCalls: calls.length,
    p50Ms: nearestRank(totals, 0.5),
    p95Ms: nearestRank(totals, 0.95),
    p99Ms: nearestRank(totals, 0.99),
    firstByteP50Ms: nearestRank(firstBytes, 0.5),
    firstByteP95Ms: nearestRank(firstBytes, 0.95),
    tokensPerSecond: nearestRank(speeds, 0.5),
  };
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

/** Ascending; numbers alone are sorted in a fraction of the time that any list takes. */
function sorted(values: readonly number[]): Float64Array {
  return new Float64Array(values).sort();
}

export function ascending(one: number, other: number): number {
  return one - other;
}
