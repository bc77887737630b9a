import type { UnitOfWork } from '../../database/unit-of-work.js';
import { InvalidInputError } from '../../kernel/app-error.js';
import { readTimingSamples, type SampledCall } from '../service/timing-samples.js';
import { add, noUse, type UsageSums } from '../sums/usage-sums.js';
import { type AnswerTimes, summariseTimes } from './answer-times.js';
import { summariseShares, type TokenShares } from './token-shares.js';
import { listBucketStarts, nextStart, shiftStart, type UsageBucket } from './usage-buckets.js';
import { type UsageDimension, type UsageFilter, type UsageGroup, UsageReporter } from './usage-report.js';

/** What is asked about; it decides which groups are the largest, and whether times are read at all. */
export type ExploreMetric =
  | 'cost'
  | 'requests'
  | 'failures'
  | 'input_tokens'
  | 'output_tokens'
  | 'tokens'
  | 'cached_tokens'
  | 'reasoning_tokens'
  | 'times';

export interface ExploreQuestion {
  readonly accountId: string;
  /** Rounded down to the beginning of its bucket, in UTC. */
  readonly fromMs: number;
  /** Exclusive; rounded up to the end of its bucket. */
  readonly toMs: number;
  readonly bucket: UsageBucket;
  readonly metric: ExploreMetric;
  /** What to divide by: none, one or two. */
  readonly groupings: readonly UsageDimension[];
  readonly filter: UsageFilter;
  /** So many groups stand by themselves, 1 to 50; all others are one. */
  readonly groupsMax: number;
  readonly isCompared: boolean;
}

/** What was used in some stretch of time, and, where times were asked for, how quickly it was answered. */
export interface ExploreCell {
  readonly sums: UsageSums;
  readonly times: (AnswerTimes & TokenShares) | null;
}

export interface ExploreGroup {
  /** What it was divided by, in the order asked for; null: all groups that do not stand by themselves. */
  readonly values: UsageGroup['values'] | null;
  readonly total: ExploreCell;
  /** One for each bucket of the report, in its order. */
  readonly buckets: readonly ExploreCell[];
  /** The same over the period before; null when it was not asked for. */
  readonly previous: ExploreCell | null;
}

export interface ExploreReport {
  /** When each bucket begins, oldest first, those without use included. */
  readonly starts: readonly number[];
  readonly total: ExploreCell;
  readonly buckets: readonly ExploreCell[];
  /** The largest first, all others last. */
  readonly groups: readonly ExploreGroup[];
  /** As many buckets, right before; null when it was not asked for. */
  readonly previous: {
    readonly fromMs: number;
    readonly total: ExploreCell;
    readonly buckets: readonly ExploreCell[];
  } | null;
  /** Whether the times are those of a part of the calls, since there were more. */
  readonly areTimesPartial: boolean;
}

interface Period {
  readonly starts: readonly number[];
  readonly endMs: number;
}

/** What one period has: the sums, which are exact, and the calls that were timed. */
interface PeriodFacts {
  readonly period: Period;
  readonly buckets: readonly UsageSums[];
  readonly total: UsageSums;
  readonly groups: readonly (UsageGroup & Named)[];
  readonly timed: readonly (SampledCall & Named)[] | null;
  readonly isPartial: boolean;
}

/** Which group it belongs to, as one word: made once, since each call is asked by each group. */
interface Named {
  readonly name: string;
}

/**
 * Answers what was used, by whatever it is divided by, beside the period before. Sums are exact: from the ledger's hours or, by tag,
 * end user or status, from sums of whole hours and days and the receipts of at most 100,000 further calls. Times are those of 3,000
 * calls, evenly over the buckets.
 */
export class Explorer {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @throws InvalidInputError for a time, buckets or a division that the usage report or the samples refuse. */
  async explore(question: ExploreQuestion): Promise<ExploreReport> {
    if (question.groupings.length > 2) throw new InvalidInputError('groupBy', 'Divide by two things at most.');
    const starts = listBucketStarts(question);
    const period = { starts, endMs: nextStart(starts.at(-1) as number, question.bucket) };
    const facts = await this.#read(question, period);
    const before = question.isCompared ? await this.#read(question, shiftBack(period, question.bucket)) : null;
    const kept = [...facts.groups]
      .sort((one, other) => rank(other.sums, question.metric) - rank(one.sums, question.metric))
      .slice(0, question.groupsMax);
    const names = new Set(kept.map(({ name }) => name));
    const isRest = (name: string) => !names.has(name);
    const groups = kept.map(({ name, values }) => toGroup(values, facts, before, (other) => other === name));
    const hasRest = facts.groups.length > kept.length;
    return {
      starts,
      total: toCell(facts.total, facts.timed),
      buckets: toCells(facts, facts.buckets, facts.timed),
      groups: hasRest ? [...groups, toGroup(null, facts, before, isRest)] : groups,
      previous: before && {
        fromMs: before.period.starts[0] as number,
        total: toCell(before.total, before.timed),
        buckets: toCells(before, before.buckets, before.timed),
      },
      areTimesPartial: facts.isPartial || (before?.isPartial ?? false),
    };
  }

  async #read(question: ExploreQuestion, period: Period): Promise<PeriodFacts> {
    const { accountId, bucket, groupings, filter, metric } = question;
    const span = { fromMs: period.starts[0] as number, toMs: period.endMs };
    const reporter = new UsageReporter(this.unitOfWork);
    const report = await reporter.report({ accountId, ...span, bucket, groupings, filter });
    const samples =
      metric === 'times'
        ? await readTimingSamples(this.unitOfWork.reader, { accountId, ...period, filter, groupings })
        : null;
    return {
      period,
      buckets: report.buckets.map(({ sums }) => sums),
      total: report.total,
      groups: report.groups.map(withName),
      timed: samples?.calls.map(withName) ?? null,
      isPartial: samples?.isPartial ?? false,
    };
  }
}

function shiftBack({ starts }: Period, bucket: UsageBucket): Period {
  return { starts: starts.map((startMs) => shiftStart(startMs, bucket, -starts.length)), endMs: starts[0] as number };
}

function toGroup(
  values: UsageGroup['values'] | null,
  facts: PeriodFacts,
  before: PeriodFacts | null,
  isOwn: (name: string) => boolean,
): ExploreGroup {
  const [own, earlier] = [selectOwn(facts, isOwn), before && selectOwn(before, isOwn)];
  return {
    values,
    total: toCell(own.total, own.timed),
    buckets: toCells(facts, own.buckets, own.timed),
    previous: earlier && toCell(earlier.total, earlier.timed),
  };
}

/** What some of the groups have together. */
function selectOwn(facts: PeriodFacts, isOwn: (name: string) => boolean) {
  const groups = facts.groups.filter(({ name }) => isOwn(name));
  return {
    total: groups.map(({ sums }) => sums).reduce(add, noUse),
    buckets: facts.period.starts.map((_, at) => groups.map(({ buckets }) => buckets[at] ?? noUse).reduce(add, noUse)),
    timed: facts.timed?.filter(({ name }) => isOwn(name)) ?? null,
  };
}

function toCells(
  { period }: PeriodFacts,
  buckets: readonly UsageSums[],
  timed: readonly SampledCall[] | null,
): ExploreCell[] {
  if (timed === null) return buckets.map((sums) => toCell(sums, null));
  const byStart = new Map<number, SampledCall[]>(period.starts.map((startMs) => [startMs, []]));
  for (const call of timed) byStart.get(call.startMs)?.push(call);
  return buckets.map((sums, at) => toCell(sums, byStart.get(period.starts[at] as number) ?? []));
}

function toCell(sums: UsageSums, timed: readonly SampledCall[] | null): ExploreCell {
  return { sums, times: timed && { ...summariseTimes(timed), ...summariseShares(timed) } };
}

// Whoever asks for times looks first at what is asked most.
function rank(sums: UsageSums, metric: ExploreMetric): number {
  switch (metric) {
    case 'cost':
      return sums.chargedMillicredits;
    case 'failures':
      return sums.failedCalls;
    case 'input_tokens':
      return sums.promptTokens;
    case 'output_tokens':
      return sums.completionTokens;
    case 'cached_tokens':
      return sums.cachedTokens;
    case 'reasoning_tokens':
      return sums.reasoningTokens;
    case 'tokens':
      return sums.promptTokens + sums.completionTokens;
    default:
      return sums.calls;
  }
}

function withName<Of extends Pick<UsageGroup, 'values'>>(one: Of): Of & Named {
  return { ...one, name: JSON.stringify(Object.entries(one.values)) };
}
