import { paths } from '../../app/paths';
import type { RequestNarrowing } from '../requests/request-filter';
import { type Bucket, choiceOf, type TimeSpan, writeRange } from './time-range';

const dayMs = 86_400_000;

/** The address of the requests of exactly this time, which is whole hours in UTC. */
export function requestsBehind(time: TimeSpan, narrowing: RequestNarrowing): string {
  return paths.requests(writeRange(new URLSearchParams(Object.entries(narrowing)), choiceOf(time)));
}

/**
 * The time of one bar of a report. The last one ends with the report, and where bars are days, with its day: it holds what comes today.
 * @param starts When each bar begins, which is where the one before it ends.
 */
export function spanOfBar(starts: readonly string[], at: number, span: TimeSpan, bucket: Bucket): TimeSpan {
  const next = starts[at + 1];
  const endMs = bucket === 'HOUR' ? span.toMs : Math.ceil(span.toMs / dayMs) * dayMs;
  return { fromMs: Date.parse(starts[at] as string), toMs: next === undefined ? endMs : Date.parse(next) };
}
