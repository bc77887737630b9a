import { setImmediate as nextTurn } from 'node:timers/promises';
import { queryTogether } from '../../database/query-by-index.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { WallClock } from '../../kernel/clock.js';
import { leastIdAt } from '../../kernel/ids.js';
import { clockJumpMs } from '../requests/call-filter.js';
import { type CallRecord, readAttempts } from '../requests/call-reader.js';
import { type AnsweredCall, type AnswerTimes, summariseTimes } from './answer-times.js';

export const callTimesBy = ['provider', 'model'] as const;
export type CallTimesBy = (typeof callTimesBy)[number];

/** How far back is looked, and in how many parts, so that a busy minute does not stand for all of it. */
const spans = {
  hour: { lengthMs: 3_600_000, parts: 12 },
  day: { lengthMs: 24 * 3_600_000, parts: 24 },
} as const;
export const callTimesLast = ['hour', 'day'] as const;
export type CallTimesLast = (typeof callTimesLast)[number];

/** How one provider or model answered the calls of all accounts. Times in milliseconds, of calls that were answered in full. */
export interface CallTimesRow
  extends Pick<AnswerTimes, 'p50Ms' | 'p95Ms' | 'p99Ms' | 'firstByteP50Ms' | 'firstByteP95Ms'> {
  readonly name: string;
  readonly calls: number;
  /** Those whose caller did not get a whole answer, through no doing of their own. */
  readonly failedCalls: number;
  /** How often a provider was asked; more than calls where one was asked after another. */
  readonly attempts: number;
  /** Those of them that brought no answer. */
  readonly failedAttempts: number;
}

export interface CallTimes {
  readonly fromMs: number;
  readonly toMs: number;
  /** The most calls first; at most 100. */
  readonly groups: readonly CallTimesRow[];
  readonly otherGroups: number;
  /** Whether some part of the time had more calls than were looked at; then all figures are of a sample. */
  readonly isSample: boolean;
}

const callsLookedAtMax = 12_000;
const partsPerQuery = 4;
const groupsMax = 100;

type Row = Readonly<Record<string, unknown>>;
interface Group {
  calls: number;
  failedCalls: number;
  attempts: number;
  failedAttempts: number;
  readonly timed: AnsweredCall[];
}

/**
 * How providers and models answered lately, out of the receipts that every instance writes. Of each part of the time the newest calls
 * are looked at (500 of each hour of a day, 1,000 of each five minutes of an hour), so that it costs the same however busy the servers are.
 * Where no part has more, all figures are exact.
 */
export class CallTimesReader {
  constructor(
    private readonly unitOfWork: Pick<UnitOfWork, 'reader'>,
    private readonly clock: WallClock,
  ) {}

  async read(by: CallTimesBy, last: CallTimesLast): Promise<CallTimes> {
    const { lengthMs, parts } = spans[last];
    const toMs = this.clock.nowMs();
    const fromMs = toMs - lengthMs;
    const starts = Array.from({ length: parts }, (_, part) => fromMs + (part * lengthMs) / parts);
    const groups = new Map<string, Group>();
    let isSample = false;
    const perPart = callsLookedAtMax / parts;
    for (let first = 0; first < parts; first += partsPerQuery) {
      const wanted = starts.slice(first, first + partsPerQuery);
      const rows = await this.#readNewest(wanted, lengthMs / parts, perPart);
      for (const row of rows) count(groups, row, by);
      isSample ||= wanted.some((start) => rows.filter(({ part }) => Number(part) === start).length >= perPart);
      await nextTurn();
    }
    const all = [...groups].map(([name, group]) => toRow(name, group)).sort((one, other) => other.calls - one.calls);
    return {
      fromMs,
      toMs,
      isSample,
      groups: all.slice(0, groupsMax),
      otherGroups: Math.max(0, all.length - groupsMax),
    };
  }

  #readNewest(starts: readonly number[], lengthMs: number, take: number): Promise<readonly Row[]> {
    const queries = starts.map((fromMs) => {
      const toMs = fromMs + lengthMs;
      const query = this.unitOfWork.reader
        .getRepository<CallRecord>('call_record')
        .createQueryBuilder('timed')
        .select(String(fromMs), 'part')
        // An id is made when its call arrives, on the same machine.
        .where('timed.call_id >= :fromId', { fromId: leastIdAt('call', fromMs - clockJumpMs) })
        .andWhere('timed.call_id < :toId', { toId: leastIdAt('call', toMs + clockJumpMs) })
        .andWhere('timed.started_at_ms >= :fromMs', { fromMs })
        .andWhere('timed.started_at_ms < :toMs', { toMs })
        .orderBy('timed.callId', 'DESC')
        .limit(take);
      for (const column of columns) query.addSelect(`timed.${column}`, column);
      return query;
    });
    return queryTogether(queries, 'PRIMARY');
  }
}

const columns = ['model', 'provider', 'outcome', 'error_code', 'total_ms', 'first_byte_ms', 'attempts'] as const;

function count(groups: Map<string, Group>, row: Row, by: CallTimesBy): void {
  const group = groupOf(groups, String(by === 'model' ? row.model : row.provider));
  const isFailed = row.outcome !== 'completed' && row.outcome !== 'abandoned';
  group.calls += 1;
  group.failedCalls += isFailed ? 1 : 0;
  if (row.outcome === 'completed') {
    // MySQL gives large numbers as text.
    const firstByteMs = row.first_byte_ms === null ? null : Number(row.first_byte_ms);
    group.timed.push({ totalMs: Number(row.total_ms), firstByteMs });
  }
  const asked = readAttempts({ attempts: row.attempts === null ? null : String(row.attempts) });
  for (const { provider, errorCode } of asked) {
    // A call stands with whoever answered it in the end; each attempt with whoever was asked.
    const of = by === 'model' ? group : groupOf(groups, provider);
    of.attempts += 1;
    of.failedAttempts += errorCode === null ? 0 : 1;
  }
}

function groupOf(groups: Map<string, Group>, name: string): Group {
  const there = groups.get(name);
  if (there !== undefined) return there;
  const group = { calls: 0, failedCalls: 0, attempts: 0, failedAttempts: 0, timed: [] };
  groups.set(name, group);
  return group;
}

function toRow(name: string, { timed, ...counts }: Group): CallTimesRow {
  const { p50Ms, p95Ms, p99Ms, firstByteP50Ms, firstByteP95Ms } = summariseTimes(timed);
  return { name, ...counts, p50Ms, p95Ms, p99Ms, firstByteP50Ms, firstByteP95Ms };
}
