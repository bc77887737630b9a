import { InvalidInputError } from '../../kernel/app-error.js';

/** The stretches that a report is divided into; all of them begin and end in UTC. */
export type UsageBucket = 'hour' | 'day' | 'month';

/** The time of a report, divided into buckets. */
export interface BucketSpan {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  readonly bucket: UsageBucket;
  /**
   * Whether the first and the last bucket are cut to the hours of the time, so that its total is the same in buckets of any length. Left
   * out: they are whole, so the time begins and ends with them.
   */
  readonly isExact?: boolean;
  /** The same buckets, each so much earlier; whole days, so that no day of UTC is in two of them. Left out: 0. */
  readonly earlierByMs?: number;
}

/** Stretches of time that follow one another without a gap; there is at least one. */
export interface Stretches {
  /** When each begins, oldest first. */
  readonly starts: readonly number[];
  /** When the last one ends. */
  readonly endMs: number;
}

const bucketsMax = 1_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The buckets of a time, which begin and end with whole hours.
 * @throws InvalidInputError for an empty time, and for one of more than 1,000 buckets.
 */
export function listStretches(span: BucketSpan): Stretches {
  const { fromMs, toMs, bucket, isExact = false, earlierByMs = 0 } = span;
  const starts = listBucketStarts(span);
  const endMs = nextStart(starts.at(-1) as number, bucket);
  const cut = {
    starts: isExact ? [startOf(fromMs, 'hour'), ...starts.slice(1)] : starts,
    endMs: isExact ? nextStart(startOf(toMs - 1, 'hour'), 'hour') : endMs,
  };
  return { starts: cut.starts.map((startMs) => startMs - earlierByMs), endMs: cut.endMs - earlierByMs };
}

/**
 * The time right before another one, in as many buckets. Before an exact one it is exactly as long, and the same hours of as few days
 * before as can be: an hour is compared with the same hour of a day, in buckets of any length.
 */
export function findSpanBefore(span: BucketSpan): BucketSpan {
  const { starts, endMs } = listStretches(span);
  const startMs = starts[0] as number;
  if (span.isExact) return { ...span, earlierByMs: Math.ceil((endMs - startMs) / dayMs) * dayMs };
  return { ...span, fromMs: shiftStart(startMs, span.bucket, -starts.length), toMs: startMs };
}

/** The place of the stretch that has a moment; what lies before all of them, as the beginning of a day that is cut, is in the first. */
export function placeOf(starts: readonly number[], ms: number): number {
  let [place, end] = [0, starts.length];
  while (end - place > 1) {
    const middle = (place + end) >> 1;
    if ((starts[middle] as number) <= ms) place = middle;
    else end = middle;
  }
  return place;
}

function listBucketStarts({ fromMs, toMs, bucket }: BucketSpan): number[] {
  if (!(fromMs < toMs)) throw new InvalidInputError('to', 'The time must end after it begins.');
  const starts: number[] = [];
  for (let startMs = startOf(fromMs, bucket); startMs < toMs; startMs = nextStart(startMs, bucket)) {
    starts.push(startMs);
    if (starts.length > bucketsMax) {
      const words = `That makes more than ${bucketsMax} buckets. Choose larger ones, or less time.`;
      throw new InvalidInputError('bucket', words);
    }
  }
  return starts;
}

/** When the bucket of a moment begins. */
export function startOf(ms: number, bucket: UsageBucket): number {
  if (bucket === 'hour') return ms - (ms % hourMs);
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), bucket === 'month' ? 1 : date.getUTCDate());
}

/** When the bucket behind this one begins. */
function nextStart(startMs: number, bucket: UsageBucket): number {
  return shiftStart(startMs, bucket, 1);
}

/** The beginning of the bucket that is so many buckets later, or, below zero, earlier. */
function shiftStart(startMs: number, bucket: UsageBucket, count: number): number {
  if (bucket === 'hour') return startMs + count * hourMs;
  if (bucket === 'day') return startMs + count * dayMs;
  const date = new Date(startMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1);
}
