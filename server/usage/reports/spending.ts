import { queryByIndex } from '../../database/query-by-index.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { toCallConditions } from '../requests/call-filter.js';
import type { CallRecord } from '../requests/call-reader.js';
import { type UsageGroup, UsageReporter } from './usage-report.js';

/** What an account spends, as an overview shows it. Days are those of UTC, the last one is today. Money in millicredits. */
export interface Spending {
  /** When the first of `daily` begins. */
  readonly fromMs: number;
  /** Of the last 60 days, oldest first. */
  readonly daily: readonly number[];
  /** Of the last 30 days by model: the six dearest, dearest first, then all others as one. Without those that cost nothing. */
  readonly models: readonly { readonly model: string | null; readonly daily: readonly number[] }[];
  /** When the last whole hour ended. */
  readonly comparedUntilMs: number;
  /** The last day, 7 and 30 days, each up to that hour, beside as many days before up to the same hour. */
  readonly changes: readonly SpendingChange[];
  /** Calls of the last 30 days. */
  readonly calls: number;
  /** Those of them whose caller got no whole answer through no doing of their own. */
  readonly failedCalls: number;
  /** Those of the failed calls that cost something, since a part had been delivered; null: too many calls to tell them apart. */
  readonly chargedFailures: number | null;
}

/** What was spent in two times of the same length, which both end with the same hour of a day. In millicredits. */
export interface SpendingChange {
  readonly days: number;
  readonly spent: number;
  readonly before: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const daysCompared = [1, 7, 30] as const;
const daysRead = 60;
const daysShown = 30;
const modelsShown = 6;
/** So many calls are looked through for those that were cut short and charged. */
const callsLookedAtMax = 10_000;

/** Sums the spending of the last days, so that a dashboard need not ask for every sum of a report each minute. */
export class SpendingReporter {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Costs the same however many calls there are. @param nowMs within the day that is to be the last. */
  async report(accountId: string, nowMs: number): Promise<Spending> {
    const toMs = nowMs - (nowMs % dayMs) + dayMs;
    const fromMs = toMs - daysRead * dayMs;
    const comparedUntilMs = nowMs - (nowMs % hourMs);
    const reporter = new UsageReporter(this.unitOfWork);
    // Before the days: what is booked meanwhile is in them, so that no part of a day is more than the day.
    const ends = await this.#sumEndsOfDays(reporter, accountId, { fromMs: comparedUntilMs, toMs });
    const question = { accountId, fromMs, toMs, bucket: 'day', groupings: ['model'] } as const;
    const { buckets, groups } = await reporter.report(question);
    const shown = buckets.slice(-daysShown).map(({ sums }) => sums);
    const [calls, failedCalls] = [add(shown.map((sums) => sums.calls)), add(shown.map((sums) => sums.failedCalls))];
    const daily = buckets.map(({ sums }) => sums.chargedMillicredits);
    return {
      fromMs,
      daily,
      comparedUntilMs,
      changes: daysCompared.map((days) => ({
        days,
        spent: add(daily.slice(-days)) - (ends.get(0) ?? 0),
        before: add(daily.slice(-2 * days, -days)) - (ends.get(days) ?? 0),
      })),
      models: toModels(groups),
      calls,
      failedCalls,
      chargedFailures: await this.#countChargedFailures(accountId, { calls, failedCalls, toMs }),
    };
  }

  /** What was spent in the hours of this time, and in the same hours so many days before, by those days. */
  async #sumEndsOfDays(
    reporter: UsageReporter,
    accountId: string,
    { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  ): Promise<ReadonlyMap<number, number>> {
    const ends = new Map<number, number>();
    for (const days of [0, ...daysCompared]) {
      const time = { fromMs: fromMs - days * dayMs, toMs: toMs - days * dayMs };
      const [all] = await reporter.sumGroups({ accountId, ...time, bucket: 'hour', groupings: [] });
      ends.set(days, all?.sums.chargedMillicredits ?? 0);
    }
    return ends;
  }

  async #countChargedFailures(
    accountId: string,
    { calls, failedCalls, toMs }: { readonly calls: number; readonly failedCalls: number; readonly toMs: number },
  ): Promise<number | null> {
    if (failedCalls === 0) return 0;
    if (calls > callsLookedAtMax) return null;
    const times = { fromMs: toMs - daysShown * dayMs, toMs };
    const { indexed: where, index } = toCallConditions(accountId, times, null);
    const query = this.unitOfWork.reader.getRepository<CallRecord>('call_record').createQueryBuilder('call');
    const select = { callId: true, outcome: true, chargedMillicredits: true };
    query.setFindOptions({ select, where, order: { callId: 'DESC' }, take: callsLookedAtMax });
    const rows = await queryByIndex(query, index);
    // MySQL gives large numbers as text.
    return rows.filter((row) => isFailure(row.call_outcome) && Number(row.call_charged_millicredits) > 0).length;
  }
}

function isFailure(outcome: unknown): boolean {
  return outcome !== 'completed' && outcome !== 'abandoned';
}

function toModels(groups: readonly UsageGroup[]): Spending['models'] {
  const all = groups
    .map(({ values, buckets }) => ({
      model: values.model ?? '',
      daily: buckets.slice(-daysShown).map(({ chargedMillicredits }) => chargedMillicredits),
    }))
    .filter(({ daily }) => add(daily) > 0)
    .sort((one, other) => add(other.daily) - add(one.daily));
  const rest = all.slice(modelsShown);
  if (rest.length < 2) return all;
  const daily = rest[0]?.daily.map((_, day) => add(rest.map((model) => model.daily[day] ?? 0))) ?? [];
  return [...all.slice(0, modelsShown), { model: null, daily }];
}

function add(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
