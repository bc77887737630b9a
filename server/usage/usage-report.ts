import type { UnitOfWork } from '../database/unit-of-work.js';
import { InvalidInputError } from '../kernel/app-error.js';

export type UsageBucket = 'hour' | 'day' | 'month';
export type UsageGrouping = 'none' | 'model' | 'provider' | 'api_key';

export interface UsageQuestion {
  readonly accountId: string;
  /** Rounded down to the beginning of its bucket, in UTC. */
  readonly fromMs: number;
  /** Exclusive; rounded up to the end of its bucket. */
  readonly toMs: number;
  readonly bucket: UsageBucket;
  readonly grouping: UsageGrouping;
}

/** What was used in some stretch of time. Money in millicredits. */
export interface UsageSums {
  readonly calls: number;
  readonly failedCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly chargedMillicredits: number;
}

export interface UsageReport {
  /** Every bucket of the time asked for, oldest first, those without use included. */
  readonly buckets: readonly { readonly startMs: number; readonly sums: UsageSums }[];
  /** The dearest first; one with the key '' when nothing is grouped. */
  readonly groups: readonly UsageGroup[];
  readonly total: UsageSums;
}

export interface UsageGroup {
  /** The model, the provider or the id of the API key. */
  readonly key: string;
  readonly sums: UsageSums;
  /** One for each bucket of the report, in its order. */
  readonly buckets: readonly UsageSums[];
}

interface HourSums extends UsageSums {
  readonly hourMs: number;
  readonly groupKey: string;
}

const bucketsMax = 1_000;
const hourMs = 3_600_000;
const noUse: UsageSums = { calls: 0, failedCalls: 0, promptTokens: 0, completionTokens: 0, chargedMillicredits: 0 };
const groupColumns = { none: null, model: 'model', provider: 'provider', api_key: 'key_id' } as const;

/**
 * Reports what an account has used, from the sums that the ledger keeps by the hour: the cost of a report does not grow with
 * the number of calls, and its total is what the ledger charged.
 */
export class UsageReporter {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @throws InvalidInputError when the time is empty, or makes more than 1,000 buckets. */
  async report(question: UsageQuestion): Promise<UsageReport> {
    const starts = listBucketStarts(question);
    const rows = await this.#readHours(
      question,
      starts[0] as number,
      nextStart(starts.at(-1) as number, question.bucket),
    );
    const indexByStart = new Map(starts.map((startMs, index) => [startMs, index]));
    const indexOf = (row: HourSums) => indexByStart.get(startOf(row.hourMs, question.bucket)) as number;
    return {
      buckets: sumByBucket(rows, starts, indexOf).map((sums, index) => ({ startMs: starts[index] as number, sums })),
      groups: sumByGroup(rows).map(({ key, sums, own }) => ({ key, sums, buckets: sumByBucket(own, starts, indexOf) })),
      total: rows.reduce(add, noUse),
    };
  }

  async #readHours(question: UsageQuestion, fromMs: number, toMs: number): Promise<HourSums[]> {
    const column = groupColumns[question.grouping];
    const query = this.unitOfWork.reader
      .createQueryBuilder()
      .from('usage_hour', 'u')
      .select('u.hour_ms', 'hourMs')
      .where('u.account_id = :accountId AND u.hour_ms >= :fromMs AND u.hour_ms < :toMs', {
        accountId: question.accountId,
        fromMs,
        toMs,
      })
      .groupBy('u.hour_ms');
    if (column) query.addSelect(`u.${column}`, 'groupKey').addGroupBy(`u.${column}`);
    for (const [name, source] of Object.entries(sumColumns)) query.addSelect(`SUM(u.${source})`, name);
    // MySQL gives sums as text.
    return (await query.getRawMany<Record<string, unknown>>()).map((row) => ({
      hourMs: Number(row.hourMs),
      groupKey: String(row.groupKey ?? ''),
      calls: Number(row.calls),
      failedCalls: Number(row.failedCalls),
      promptTokens: Number(row.promptTokens),
      completionTokens: Number(row.completionTokens),
      chargedMillicredits: Number(row.chargedMillicredits),
    }));
  }
}

const sumColumns: Readonly<Record<keyof UsageSums, string>> = {
  calls: 'calls',
  failedCalls: 'failed_calls',
  promptTokens: 'prompt_tokens',
  completionTokens: 'completion_tokens',
  chargedMillicredits: 'charged_millicredits',
};

function listBucketStarts({ fromMs, toMs, bucket }: UsageQuestion): number[] {
  if (!(fromMs < toMs)) throw new InvalidInputError('to', 'The time must end after it begins.');
  const starts: number[] = [];
  for (let startMs = startOf(fromMs, bucket); startMs < toMs; startMs = nextStart(startMs, bucket)) {
    starts.push(startMs);
    if (starts.length > bucketsMax) {
      throw new InvalidInputError(
        'bucket',
        `That makes more than ${bucketsMax} buckets. Choose larger ones, or less time.`,
      );
    }
  }
  return starts;
}

function startOf(ms: number, bucket: UsageBucket): number {
  if (bucket === 'hour') return ms - (ms % hourMs);
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), bucket === 'month' ? 1 : date.getUTCDate());
}

function nextStart(startMs: number, bucket: UsageBucket): number {
  if (bucket === 'hour') return startMs + hourMs;
  if (bucket === 'day') return startMs + 24 * hourMs;
  const date = new Date(startMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

function sumByBucket(
  rows: readonly HourSums[],
  starts: readonly number[],
  indexOf: (row: HourSums) => number,
): UsageSums[] {
  const sums: UsageSums[] = starts.map(() => noUse);
  for (const row of rows) sums[indexOf(row)] = add(sums[indexOf(row)] as UsageSums, row);
  return sums;
}

function sumByGroup(rows: readonly HourSums[]): { key: string; sums: UsageSums; own: HourSums[] }[] {
  const groups = new Map<string, HourSums[]>();
  for (const row of rows) {
    const own = groups.get(row.groupKey);
    if (own) own.push(row);
    else groups.set(row.groupKey, [row]);
  }
  return [...groups]
    .map(([key, own]) => ({ key, own, sums: own.reduce(add, noUse) }))
    .sort((a, b) => b.sums.chargedMillicredits - a.sums.chargedMillicredits);
}

function add(one: UsageSums, other: UsageSums): UsageSums {
  return {
    calls: one.calls + other.calls,
    failedCalls: one.failedCalls + other.failedCalls,
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    chargedMillicredits: one.chargedMillicredits + other.chargedMillicredits,
  };
}
