import { groupBy } from '../../kernel/group-by.js';
import type { SampledCall } from '../service/timing-samples.js';
import type { UsageSums } from '../sums/usage-sums.js';
import { type AnswerTimes, medianSpeed, summariseTimes } from './answer-times.js';
import { summariseShares, type TokenShares } from './token-shares.js';
import type { Stretches } from './usage-buckets.js';

/** What was used in some stretch of time, and, where times were asked for, how quickly it was answered. */
export interface ExploreCell {
  readonly sums: UsageSums;
  readonly times: (AnswerTimes & TokenShares) | null;
}

/** A cell for each bucket of a period. */
export function toCells(
  { period }: { readonly period: Stretches },
  buckets: readonly UsageSums[],
  timed: readonly SampledCall[] | null,
): ExploreCell[] {
  if (timed === null) return buckets.map((sums) => toCell(sums, null));
  const byStart = groupBy(timed, ({ startMs }) => startMs);
  return buckets.map((sums, at) => toCell(sums, byStart.get(period.starts[at] as number) ?? []));
}

/** @param timed The calls that the times are taken from; null: times were not asked for. */
export function toCell(sums: UsageSums, timed: readonly SampledCall[] | null): ExploreCell {
  if (timed === null) return { sums, times: null };
  return { sums, times: timed.length === 0 ? noTimes : summarise(timed) };
}

function summarise(timed: readonly SampledCall[]): AnswerTimes & TokenShares {
  return { ...summariseTimes(timed), tokensPerSecond: medianSpeed(timed), ...summariseShares(timed) };
}

/** Of many groups by the hour, most cells have no call. */
const noTimes = summarise([]);
