import { InvalidInputError } from '../../kernel/app-error.js';

/** The stretches that a report is divided into; all of them begin and end in UTC. */
export type UsageBucket = 'hour' | 'day' | 'month';

/** A time that is rounded to whole buckets: its beginning down, its end, which is exclusive, up. */
export interface BucketSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucket: UsageBucket;
}

const bucketsMax = 1_000;
const hourMs = 3_600_000;

/**
 * When each bucket of a time begins, oldest first; there is at least one.
 * @throws InvalidInputError for an empty time, and for one of more than 1,000 buckets.
 */
export function listBucketStarts({ fromMs, toMs, bucket }: BucketSpan): number[] {
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
export function nextStart(startMs: number, bucket: UsageBucket): number {
  return shiftStart(startMs, bucket, 1);
}

/** The beginning of the bucket that is so many buckets later, or, below zero, earlier. */
export function shiftStart(startMs: number, bucket: UsageBucket, count: number): number {
  if (bucket === 'hour') return startMs + count * hourMs;
  if (bucket === 'day') return startMs + count * 24 * hourMs;
  const date = new Date(startMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1);
}
