import type { UnitOfWork } from '../../database/unit-of-work.js';
import { InvalidInputError } from '../../kernel/app-error.js';
import { groupBy } from '../../kernel/group-by.js';
import { readTimingSamples, type SampledCall } from '../service/timing-samples.js';
import { SharedPacks } from '../sums/pack-memory.js';
import { areSame, noUse, subtract, sumUp, type UsageSums } from '../sums/usage-sums.js';
import { type ExploreCell, toCell, toCells } from './explore-cells.js';
import { findSpanBefore, listStretches, type Stretches } from './usage-buckets.js';
import {
  type GroupTotal,
  type UsageDimension,
  type UsageFilter,
  type UsageGroup,
  type UsageGrouping,
  type UsageQuestion,
  type UsageReport,
  UsageReporter,
} from './usage-report.js';

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

export interface ExploreQuestion extends UsageQuestion {
  readonly metric: ExploreMetric;
  /** What to divide by: none, one or two. */
  readonly groupings: readonly UsageDimension[];
  readonly filter: UsageFilter;
  /** So many groups stand by themselves, 1 to 50; all others are one. */
  readonly groupsMax: number;
  readonly isCompared: boolean;
  /** Whether to answer the newest part of a time that cannot be read whole; left out: that is refused. */
  readonly mayBePartial?: boolean;
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
  /** Where the report begins, if that is later than it was asked for; null: it has the whole time. */
  readonly coveredFromMs: number | null;
  /** The period before, by `findSpanBefore`; null when it was not asked for, and where a partial report was asked for and it cannot be read whole. */
  readonly previous: {
    readonly fromMs: number;
    readonly total: ExploreCell;
    readonly buckets: readonly ExploreCell[];
  } | null;
  /** Whether the times are those of a part of the calls, since there were more. */
  readonly areTimesPartial: boolean;
}

/** What one period has: the sums, which are exact, and the calls that were timed. */
interface PeriodFacts<Group extends GroupTotal> {
  readonly period: Stretches;
  readonly buckets: readonly UsageSums[];
  readonly total: UsageSums;
  /** By their names. */
  readonly groups: ReadonlyMap<string, Group>;
  /** By the name of their group. */
  readonly timed: ReadonlyMap<string, readonly SampledCall[]> | null;
  readonly isPartial: boolean;
}

/** The name of a group, made once: many are compared. */
interface Named {
  readonly name: string;
}

/** What stands by itself, or all others. */
type Selection = { readonly only: string } | { readonly except: ReadonlySet<string> };

/** These make few groups as a rule: to look first whether they are many would cost more than it saves. */
const dimensionsOfFew: readonly UsageGrouping[] = ['none', 'model', 'provider', 'status', 'tag'];
const othersName = '';
/** Each thousand takes a twentieth of what a question may take. */
const callsTimedMax = 3_000;
const callsTimedBeforeMax = 1_500;

/**
 * Answers what was used, by whatever it is divided by, beside the period before. Sums are exact: from the ledger's hours or, by tag,
 * end user or status, from sums of whole hours and days and the receipts of at most 100,000 further calls. Times are those of 3,000
 * calls, evenly over the buckets, and of 1,500 of the period before.
 */
export class Explorer {
  /**
   * @param packs Of others that read the same account's use, as a replica does.
   * @param cellsAtOnceMax The buckets of so many groups are read of all of them; of more, of the largest alone.
   */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly packs = new SharedPacks(),
    private readonly cellsAtOnceMax = 3_000,
  ) {}

  /** @throws InvalidInputError for a time, buckets or a division that the usage report or the samples refuse. */
  async explore(asked: ExploreQuestion): Promise<ExploreReport> {
    if (asked.groupings.length > 2) throw new InvalidInputError('groupBy', 'Divide by two things at most.');
    const reporter = new UsageReporter(this.unitOfWork, this.packs.forQuestion());
    const { question, coveredFromMs } = asked.mayBePartial
      ? await this.#bound(asked, reporter)
      : { question: asked, coveredFromMs: null };
    const { starts } = listStretches(question);
    const [facts, before] = await Promise.all([
      this.#readPeriod(question, reporter),
      question.isCompared ? this.#readBefore({ ...question, ...findSpanBefore(question) }, reporter) : null,
    ]);
    const named = [...facts.groups].map(([name, group]) => ({ ...group, name }));
    const kept = chooseLargest(named, question);
    const names = new Set(kept.map(({ name }) => name));
    const groups = kept.map(({ name, values }) => toGroup(values, facts, before, { only: name }));
    const hasRest = facts.groups.size > kept.length;
    return {
      starts,
      coveredFromMs,
      ...toWhole(facts),
      groups: hasRest ? [...groups, toGroup(null, facts, before, { except: names })] : groups,
      previous: before && {
        fromMs: before.period.starts[0] as number,
        ...toWhole(before),
      },
      areTimesPartial: facts.isPartial || (before?.isPartial ?? false),
    };
  }

  /** What of a question can be answered at once. */
  async #bound(
    asked: ExploreQuestion,
    reporter: UsageReporter,
  ): Promise<{ question: ExploreQuestion; coveredFromMs: number | null }> {
    const { starts, endMs } = listStretches(asked);
    const fromMs = await reporter.findReadableFrom(asked, asked.isCompared ? 0.5 : 1);
    // Where there is nothing left to tell, the refusal says why.
    const isWhole = fromMs <= (starts[0] as number) || fromMs >= endMs;
    const question = isWhole ? asked : { ...asked, fromMs, toMs: endMs, isExact: true };
    const coveredFromMs = isWhole ? null : fromMs;
    if (!asked.isCompared) return { question, coveredFromMs };
    const before = { ...question, ...findSpanBefore(question) };
    // Twice the share, so that some more calls than in the time itself do not count.
    const isCompared = (await reporter.findReadableFrom(before, 1)) <= (listStretches(before).starts[0] as number);
    return { question: { ...question, isCompared }, coveredFromMs };
  }

  async #readPeriod(question: ExploreQuestion, reporter: UsageReporter): Promise<PeriodFacts<UsageGroup>> {
    const report = (await this.#reportLargest(question, reporter)) ?? (await reporter.report(question));
    return this.#addTimes(question, report, callsTimedMax);
  }

  /**
   * The report with all groups that are not among the largest as one, which has no values: of many groups, to read all of their buckets
   * takes several times as long as to add them up.
   * @returns null where there are few, or where calls were booked meanwhile.
   */
  async #reportLargest(question: ExploreQuestion, reporter: UsageReporter): Promise<UsageReport | null> {
    if (question.groupings.every((dimension) => dimensionsOfFew.includes(dimension))) return null;
    const totals = (await reporter.sumGroups(question)).map(withName);
    if (totals.length * listStretches(question).starts.length <= this.cellsAtOnceMax) return null;
    const largest = chooseLargest(totals, question);
    const names = new Set(largest.map(({ name }) => name));
    const valuesOf = (dimension: UsageDimension) => [
      ...new Set(largest.map(({ values }) => String(values[dimension]))),
    ];
    const narrowed = Object.fromEntries(question.groupings.map((dimension) => [dimension, valuesOf(dimension)]));
    const around = await reporter.report({ ...question, filter: { ...question.filter, ...narrowed } });
    const own = around.groups.map(withName).filter(({ name }) => names.has(name));
    const all = await reporter.report({ ...question, groupings: [] });
    const isOfOneMoment = areSame(all.total, totalOf(totals)) && areSame(totalOf(own), totalOf(largest));
    if (!isOfOneMoment) return null;
    const buckets = all.buckets.map(({ sums }, at) =>
      subtract(sums, sumUp(own.map((group) => group.buckets[at] ?? noUse))),
    );
    const others = { values: {}, sums: sumUp(buckets), buckets };
    return { ...all, groups: totals.length > largest.length ? [...own, others] : own };
  }

  // Nobody is shown the buckets of its groups, and reading them would take most of the time.
  async #readBefore(question: ExploreQuestion, reporter: UsageReporter): Promise<PeriodFacts<GroupTotal>> {
    const all = await reporter.report({ ...question, groupings: [] });
    return this.#addTimes(question, { ...all, groups: await reporter.sumGroups(question) }, callsTimedBeforeMax);
  }

  async #addTimes<Group extends GroupTotal>(
    question: ExploreQuestion,
    { buckets, total, groups }: Omit<UsageReport, 'groups'> & { readonly groups: readonly Group[] },
    callsMax: number,
  ): Promise<PeriodFacts<Group>> {
    const named = new Map(groups.map((group) => [nameOf(group), group]));
    const period = listStretches(question);
    const times = await this.#readTimes(question, period, callsMax);
    return { period, total, buckets: buckets.map(({ sums }) => sums), groups: named, ...times };
  }

  async #readTimes({ accountId, filter, groupings, metric }: ExploreQuestion, period: Stretches, callsMax: number) {
    if (metric !== 'times') return { timed: null, isPartial: false };
    const wanted = { accountId, ...period, filter, groupings, callsMax };
    const { calls, isPartial } = await readTimingSamples(this.unitOfWork.reader, wanted);
    return { timed: groupBy(calls, nameOf), isPartial };
  }
}

/** Those that stand by themselves, the largest first. All others as one, where they are, have no values. */
function chooseLargest<Group extends GroupTotal & Named>(groups: readonly Group[], question: ExploreQuestion): Group[] {
  return groups
    .filter(({ name }) => name !== othersName || question.groupings.length === 0)
    .sort((one, other) => rank(other.sums, question.metric) - rank(one.sums, question.metric))
    .slice(0, question.groupsMax);
}

/** What a period has in all. */
function toWhole(facts: PeriodFacts<GroupTotal>): Pick<ExploreReport, 'total' | 'buckets'> {
  const timed = facts.timed && [...facts.timed.values()].flat();
  return { total: toCell(facts.total, timed), buckets: toCells(facts, facts.buckets, timed) };
}

function toGroup(
  values: UsageGroup['values'] | null,
  facts: PeriodFacts<UsageGroup>,
  before: PeriodFacts<GroupTotal> | null,
  selection: Selection,
): ExploreGroup {
  const groups = select(facts.groups, selection);
  const buckets = facts.period.starts.map((_, at) => sumUp(groups.map((group) => group.buckets[at] ?? noUse)));
  return {
    values,
    total: toTotal(facts, selection),
    buckets: toCells(facts, buckets, selectTimed(facts, selection)),
    previous: before && toTotal(before, selection),
  };
}

/** What some of the groups have together. */
function toTotal(facts: PeriodFacts<GroupTotal>, selection: Selection): ExploreCell {
  return toCell(totalOf(select(facts.groups, selection)), selectTimed(facts, selection));
}

function totalOf(groups: readonly GroupTotal[]): UsageSums {
  return sumUp(groups.map(({ sums }) => sums));
}

function selectTimed({ timed }: PeriodFacts<GroupTotal>, selection: Selection) {
  return timed && select(timed, selection).flat();
}

function select<Value>(all: ReadonlyMap<string, Value>, selection: Selection): Value[] {
  if ('except' in selection) return [...all].flatMap(([name, value]) => (selection.except.has(name) ? [] : [value]));
  const value = all.get(selection.only);
  return value === undefined ? [] : [value];
}

const rankedBy: Partial<Readonly<Record<ExploreMetric, keyof UsageSums>>> = {
  cost: 'chargedMillicredits',
  failures: 'failedCalls',
  input_tokens: 'promptTokens',
  output_tokens: 'completionTokens',
  cached_tokens: 'cachedTokens',
  reasoning_tokens: 'reasoningTokens',
};

// By calls otherwise, also for times: they are looked at first where most was asked.
function rank(sums: UsageSums, metric: ExploreMetric): number {
  if (metric === 'tokens') return sums.promptTokens + sums.completionTokens;
  return sums[rankedBy[metric] ?? 'calls'];
}

function withName<Of extends Pick<GroupTotal, 'values'>>(one: Of): Of & Named {
  return { ...one, name: nameOf(one) };
}

/** Groups of different values have different names: `\0` stands between them, which no value has, since names, ids and marks are printable. */
function nameOf({ values }: Pick<GroupTotal, 'values'>): string {
  let name = '';
  for (const value of Object.values(values)) name += `\0${value}`;
  return name;
}
