import { queryByIndex } from '../../database/query-by-index.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { assertTimes, toCallConditions } from '../requests/call-filter.js';
import type { CallRecord } from '../requests/call-reader.js';
import { summariseTimes } from './answer-times.js';

export interface LatencyQuestion {
  readonly accountId: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly grouping: 'model' | 'provider';
}

/** How quickly one model or provider answered. Times in milliseconds, from the call's arrival; null: nothing was measured. */
export interface LatencyRow {
  readonly key: string;
  readonly calls: number;
  readonly failedCalls: number;
  /** The calls that the times below are taken from. */
  readonly sampledCalls: number;
  readonly medianMs: number | null;
  readonly p95Ms: number | null;
  readonly medianFirstByteMs: number | null;
}

/** More than any account uses at once, and few enough to answer quickly. */
const rowsMax = 20;
const sampledCallsMax = 1_000;
const callsLookedAtMax = 10_000;
const hourMs = 3_600_000;

type Counts = Pick<LatencyRow, 'key' | 'calls' | 'failedCalls'>;
type Measured = Pick<CallRecord, 'outcome' | 'totalMs' | 'firstByteMs'>;
type Sample = Measured & { readonly key: string };

/**
 * Tells how quickly calls were answered. Calls are counted in whole hours, all of them. Times are those of the newest 10,000
 * calls, at most 1,000 of one model or provider, so that a report costs the same however many calls there are; they are exact
 * when there are no more. Only calls that were answered in full are timed.
 */
export class LatencyReporter {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** The 20 with most calls, those first. @throws InvalidInputError for a time that ends before it begins. */
  async report(question: LatencyQuestion): Promise<LatencyRow[]> {
    assertTimes(question);
    const busiest = await this.#countBusiest(question);
    const samples = busiest.length === 0 ? [] : await this.#readNewest(question);
    return busiest.map((counts) => {
      const own = samples.filter(({ key }) => key === counts.key).slice(0, sampledCallsMax);
      return { ...counts, ...summarise(own) };
    });
  }

  async #countBusiest({ accountId, fromMs, toMs, grouping }: LatencyQuestion): Promise<Counts[]> {
    const rows = await this.unitOfWork.reader
      .createQueryBuilder()
      .from('usage_hour', 'u')
      .select(`u.${grouping}`, 'key')
      .addSelect('SUM(u.calls)', 'calls')
      .addSelect('SUM(u.failed_calls)', 'failedCalls')
      .where('u.account_id = :accountId AND u.hour_ms > :beforeMs AND u.hour_ms < :toMs', {
        accountId,
        beforeMs: fromMs - hourMs,
        toMs,
      })
      .groupBy(`u.${grouping}`)
      .orderBy('SUM(u.calls)', 'DESC')
      .limit(rowsMax)
      .getRawMany<Record<string, unknown>>();
    // MySQL gives sums as text.
    return rows.map((row) => ({
      key: String(row.key),
      calls: Number(row.calls),
      failedCalls: Number(row.failedCalls),
    }));
  }

  async #readNewest({ accountId, fromMs, toMs, grouping }: LatencyQuestion): Promise<Sample[]> {
    const { indexed: where, index } = toCallConditions(accountId, { fromMs, toMs }, null);
    const query = this.unitOfWork.reader.getRepository<CallRecord>('call_record').createQueryBuilder('call');
    const select = { callId: true, [grouping]: true, outcome: true, totalMs: true, firstByteMs: true };
    query.setFindOptions({ select, where, order: { callId: 'DESC' }, take: callsLookedAtMax });
    return (await queryByIndex(query, index)).map((row) => ({
      key: String(row[`call_${grouping}`]),
      outcome: row.call_outcome as Measured['outcome'],
      totalMs: Number(row.call_total_ms),
      firstByteMs: row.call_first_byte_ms === null ? null : Number(row.call_first_byte_ms),
    }));
  }
}

function summarise(newest: readonly Measured[]): Omit<LatencyRow, keyof Counts> {
  const answered = summariseTimes(newest.filter(({ outcome }) => outcome === 'completed'));
  const { sampledCalls, p50Ms: medianMs, p95Ms, firstByteP50Ms: medianFirstByteMs } = answered;
  return { sampledCalls, medianMs, p95Ms, medianFirstByteMs };
}
