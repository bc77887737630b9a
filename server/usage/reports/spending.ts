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
  /** Calls of the last 30 days. */
  readonly calls: number;
  /** Those of them whose caller got no whole answer through no doing of their own. */
  readonly failedCalls: number;
  /** Those of the failed calls that cost something, since a part had been delivered; null: too many calls to tell them apart. */
  readonly chargedFailures: number | null;
}

const dayMs = 86_400_000;
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
    const reporter = new UsageReporter(this.unitOfWork);
    const question = { accountId, fromMs, toMs, bucket: 'day', groupings: ['model'] } as const;
    const { buckets, groups } = await reporter.report(question);
    const shown = buckets.slice(-daysShown).map(({ sums }) => sums);
    const [calls, failedCalls] = [add(shown.map((sums) => sums.calls)), add(shown.map((sums) => sums.failedCalls))];
    return {
      fromMs,
      daily: buckets.map(({ sums }) => sums.chargedMillicredits),
      models: toModels(groups),
      calls,
      failedCalls,
      chargedFailures: await this.#countChargedFailures(accountId, { calls, failedCalls, toMs }),
    };
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
