import type { EntityManager } from 'typeorm';
import { askTogether, tableByIndex } from '../../database/query-by-index.js';
import { InvalidInputError } from '../../kernel/app-error.js';
import { leastIdAt } from '../../kernel/ids.js';
import type { ToldTokens } from '../reports/token-shares.js';
import type { UsageDimension, UsageFilter, UsageGroup } from '../reports/usage-report.js';
import { boundTime, clockJumpMs } from '../requests/call-filter.js';

/** How one call was answered, and where it belongs. */
export interface TimedCall {
  readonly startMs: number;
  readonly values: UsageGroup['values'];
  readonly totalMs: number;
  readonly firstByteMs: number | null;
  readonly completionTokens: number;
  readonly isStreamed: boolean;
}

/** The same, with what its provider told of its tokens. */
export interface SampledCall extends TimedCall, ToldTokens {}

export interface SamplesWanted {
  readonly accountId: string;
  /** When each bucket begins, oldest first. */
  readonly starts: readonly number[];
  /** When the last of them ends. */
  readonly endMs: number;
  readonly filter: UsageFilter;
  /** What the calls are to be divided by; they tell no more of themselves. */
  readonly groupings: readonly UsageDimension[];
  /** At how many calls to look, over all buckets. */
  readonly callsMax: number;
}

export interface TimingSamples {
  /** Only calls that were answered in full. */
  readonly calls: readonly SampledCall[];
  /** Whether a bucket had more calls than were looked at. */
  readonly isPartial: boolean;
}

const bucketsMax = 200;
/** Asked in one statement, so that two hundred buckets do not take two hundred ways to the database and back. */
const bucketsPerQuery = 25;
/** Between the beginning of a call and the making of its id. */
const arrivalMsMax = 1_000;

/**
 * Reads how calls were answered: of each bucket the newest ones, as many of each, so that the cost does not grow with the number of
 * calls and each bucket has its own. The filter chooses among those.
 * @throws InvalidInputError for more than 200 buckets.
 */
export async function readTimingSamples(reader: EntityManager, wanted: SamplesWanted): Promise<TimingSamples> {
  const { starts, endMs, filter, callsMax } = wanted;
  if (starts.length > bucketsMax) {
    const words = `Times are taken in at most ${bucketsMax} buckets. Choose larger ones, or less time.`;
    throw new InvalidInputError('bucket', words);
  }
  const callsPerBucket = Math.floor(callsMax / starts.length);
  const spans = starts.map((startMs, at) => ({ fromMs: startMs, toMs: starts[at + 1] ?? endMs }));
  const calls: SampledCall[] = [];
  const looked = new Map<number, number>();
  for (let first = 0; first < spans.length; first += bucketsPerQuery) {
    for (const row of await readNewest(reader, wanted, spans.slice(first, first + bucketsPerQuery), callsPerBucket)) {
      const startMs = Number(row.bucketMs);
      looked.set(startMs, (looked.get(startMs) ?? 0) + 1);
      if (row.outcome === 'completed' && fits(row, filter)) calls.push(toTimedCall(row, startMs, wanted.groupings));
    }
  }
  return { calls, isPartial: [...looked.values()].some((count) => count >= callsPerBucket) };
}

type Row = Readonly<Record<string, unknown>>;
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Written by hand: hundreds of queries from a builder, one for each bucket, take longer to be put together than to be answered. */
function readNewest(
  reader: EntityManager,
  { accountId, filter, groupings }: SamplesWanted,
  spans: readonly Span[],
  take: number,
): Promise<readonly Row[]> {
  const keyId = filter.api_key?.length === 1 ? filter.api_key[0] : undefined;
  const dimensions = new Set([...groupings, ...(Object.keys(filter) as UsageDimension[])]);
  const columns = new Set([...measured, ...[...dimensions].map((dimension) => columnOf[dimension])]);
  const index = keyId === undefined ? 'ix_call_record_account' : 'ix_call_record_key';
  const parts = spans.map(({ fromMs, toMs }) => {
    const sql = `SELECT ${fromMs} AS bucketMs, ${[...columns].join(', ')}
      FROM ${tableByIndex(reader, 'call_record', index)}
      WHERE account_id = ?${keyId === undefined ? '' : ' AND key_id = ?'} AND call_id >= ? AND call_id < ?
        AND started_at_ms >= ? AND started_at_ms < ?
      ORDER BY call_id DESC LIMIT ${take}`;
    // An id is made when its call arrives, on the same machine. Calls whose clock was set back may be missing from samples: to look for
    // them behind the end of each bucket would be to read as many calls in vain as are wanted.
    const ids = [fromMs - clockJumpMs, toMs + arrivalMsMax].map((ms) => leastIdAt('call', boundTime(ms)));
    return { sql, values: [accountId, ...(keyId === undefined ? [] : [keyId]), ...ids, fromMs, toMs] };
  });
  return askTogether(reader, parts);
}

const measured = [
  ...(['outcome', 'total_ms', 'first_byte_ms', 'is_streamed'] as const),
  ...(['prompt_tokens', 'completion_tokens', 'cached_tokens', 'reasoning_tokens'] as const),
];

const columnOf: Readonly<Record<UsageDimension, string>> = {
  model: 'model',
  provider: 'provider',
  api_key: 'key_id',
  tag: 'tag',
  end_user: 'end_user',
  status: 'outcome',
};

function toTimedCall(row: Row, startMs: number, groupings: readonly UsageDimension[]): SampledCall {
  return {
    startMs,
    values: Object.fromEntries(groupings.map((dimension) => [dimension, String(row[columnOf[dimension]] ?? '')])),
    // MySQL gives large numbers as text.
    totalMs: Number(row.total_ms),
    firstByteMs: toCount(row.first_byte_ms),
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    cachedTokens: toCount(row.cached_tokens),
    reasoningTokens: toCount(row.reasoning_tokens),
    isStreamed: Number(row.is_streamed) === 1,
  };
}

function toCount(value: unknown): number | null {
  return value === null ? null : Number(value);
}

function fits(row: Row, filter: UsageFilter): boolean {
  return Object.entries(filter).every(([dimension, wanted]) =>
    wanted.includes(String(row[columnOf[dimension as UsageDimension]] ?? '')),
  );
}
