import { setTimeout as sleep } from 'node:timers/promises';
import { allowDuplicate } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { InvalidInputError } from '../../kernel/app-error.js';
import type { WallClock } from '../../kernel/clock.js';
import { RepeatedJob } from '../../kernel/jobs/repeated-job.js';
import type { Logger } from '../../kernel/logger.js';
import { sumMarkedUse } from '../reports/marked-usage.js';
import { SetMender } from './mend-sets.js';
import { packSets } from './pack-sets.js';
import { removeLeftoverPacks, removeOldSets } from './remove-old-sets.js';
import { UsageMarkEntity } from './usage-mark.entity.js';
import type { UsageSetKind } from './usage-set.entity.js';
import {
  columnsOfKind,
  dayMs,
  hourMs,
  partsMaxOf,
  readHourTotals,
  readSetTotals,
  replaceSet,
  type UsageSetName,
} from './usage-sets.js';
import { areSame, sumUp, toUsageSums } from './usage-sums.js';

export interface UsageSummerParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: WallClock;
  /** The time by which the ledger writes its rows. Left out: that of the clock. */
  readonly findNowMs?: () => Promise<number>;
  readonly logger: Logger;
  /** An account with fewer calls in an hour is read from its receipts as quickly. Left out: 20. */
  readonly busyCalls?: number;
  /** After each set so many times its own length in which nothing is done. Left out: 4. */
  readonly restPerSet?: number;
}

interface BusyDay {
  readonly startMs: number | null;
  /** Those that were looked at. */
  readonly hours: Set<number>;
  /** The accounts that had enough calls in one of them. */
  readonly busy: Set<string>;
}

const noDay: BusyDay = { startMs: null, hours: new Set(), busy: new Set() };
const intervalMs = 300_000;
/** Calls of an hour that has just ended may still be booked; what comes later makes its set stale, and is summed with the day. */
const settledMs = 10 * 60_000;
const usualBusyCalls = 20;
/** Hours are summed for charts by the hour; of what is older, days. */
const hoursSummedMs = 8 * dayMs;
/** So long they are kept, packed and by one mark at a time: for the days that a time of 30 days, and the 30 before, begin within. */
const hoursKeptMs = 62 * dayMs;
/** Days that are looked at when one is over: it, and those before it for calls that were booked late. */
const daysAgain = 3;
const callsMax = 2_000_000;
const usualRestPerSet = 4;
/** Each of up to two sets. */
const mendStepsPerRound = 100;
/** A year of days beside the year before. */
const packedSpanMs = 2 * 366 * dayMs;
const kinds = Object.keys(columnsOfKind) as UsageSetKind[];
const markName = 'sets';

/**
 * Sums hours and days that are over by tag, end user and outcome, for accounts with many calls, so that reports need not read their
 * receipts. It runs beside the calls and after them: nothing of it is on a call's way. Up to where it has come stands in the database;
 * it goes on there after a stop, and several processes may do it at once. Nobody depends on it: what is not summed, or was booked later, is read from
 * the receipts.
 */
export class UsageSummer {
  /** Whether no set of a release that did not pack them is left; a server of that release may still write some, until the next start. */
  #isPacked = false;
  /** What this process has found of the day that it is at; of one that another process was at it finds it anew. */
  #day: BusyDay = noDay;
  readonly #mender: SetMender;
  /** Begins within five minutes, not with all other processes at once, and looks again every five. */
  readonly job: RepeatedJob;

  constructor(private readonly parts: UsageSummerParts) {
    this.#mender = new SetMender(parts.unitOfWork);
    this.job = new RepeatedJob({
      run: (signal) => this.sumUp(signal),
      intervalMs,
      onFailure: (error) => parts.logger.error('usage_not_summed', { error }),
    });
  }

  /** Sums every hour and day that is over, oldest first, and removes what nobody asks for any more. @throws the database's error. */
  async sumUp(signal?: AbortSignal): Promise<void> {
    const { clock, logger, unitOfWork, findNowMs = async () => clock.nowMs() } = this.parts;
    let isFurther = this.job.lastDoneAtMs === null;
    let isDayOver = isFurther;
    while (!signal?.aborted) {
      const hour = await this.#findNextHour();
      const nowMs = await findNowMs();
      if (hour === null || hour.startMs + hourMs + settledMs > nowMs) break;
      if (hour.startMs >= nowMs - hoursSummedMs) {
        for (const accountId of await this.#findBusyAndRemember(hour.startMs))
          await this.#sum(accountId, hourMs, hour.startMs, signal);
      }
      if (hour.isLastOfDay) await this.#sumDays(hour.startMs, signal);
      isDayOver ||= hour.isLastOfDay;
      if (!signal?.aborted) await this.#moveMark(hour.untilMs, hour.startMs + hourMs);
      isFurther = true;
    }
    if (isFurther) {
      const untilMs = clock.nowMs() - dayMs;
      await removeOldSets(unitOfWork, { ofChartsMs: untilMs - hoursSummedMs, allMs: untilMs - hoursKeptMs }, signal);
    }
    const leftovers = isDayOver ? await removeLeftoverPacks(unitOfWork, signal) : 0;
    if (leftovers > 0) logger.info('usage_packs_removed', { sets: leftovers });
    if (!this.#isPacked) await this.#packOld(signal);
    await this.#mend(signal);
    if (!signal?.aborted) this.job.noteDone(clock.nowMs());
  }

  /** The next hour to look at: the next one with use, or the last one of the day before. null: there is none. */
  async #findNextHour() {
    const { reader } = this.parts.unitOfWork;
    const mark = await reader.findOneBy(UsageMarkEntity, { name: markName });
    const untilMs = mark?.untilMs ?? 0;
    const [row] = await reader.query('SELECT MIN(hour_ms) AS hour_ms FROM usage_hour WHERE hour_ms >= ?', [untilMs]);
    if (mark === null) await this.#insertMark();
    const dayEndMs = Math.ceil(untilMs / dayMs) * dayMs;
    const isInDay = row?.hour_ms != null && (Number(row.hour_ms) < dayEndMs || dayEndMs === untilMs);
    if (!isInDay && dayEndMs === untilMs) return null;
    const startMs = isInDay ? Number(row.hour_ms) : dayEndMs - hourMs;
    return { untilMs, startMs, isLastOfDay: (startMs + hourMs) % dayMs === 0 };
  }

  async #insertMark(): Promise<void> {
    const mark = { name: markName, untilMs: 0 };
    await allowDuplicate(
      this.parts.unitOfWork.transactForServer((transaction) => transaction.insert(UsageMarkEntity, mark)),
    );
  }

  // Only from where it was read, so that whoever is slower moves it never back.
  async #moveMark(fromMs: number, untilMs: number): Promise<void> {
    await this.parts.unitOfWork.transactForServer((transaction) =>
      transaction.update(UsageMarkEntity, { name: markName, untilMs: fromMs }, { untilMs }),
    );
  }

  /** By the index of time, but each row is looked up where its account lies: on MySQL a page of the disk for each, so no hour is asked twice without need. */
  async #findBusy(startMs: number): Promise<readonly string[]> {
    const { unitOfWork, busyCalls = usualBusyCalls } = this.parts;
    const rows: readonly { account_id: string }[] = await unitOfWork.reader.query(
      'SELECT account_id FROM usage_hour WHERE hour_ms = ? GROUP BY account_id HAVING SUM(calls) >= ?',
      [startMs, busyCalls],
    );
    return rows.map(({ account_id }) => account_id);
  }

  async #findBusyAndRemember(startMs: number): Promise<readonly string[]> {
    const dayStartMs = startMs - (startMs % dayMs);
    if (this.#day.startMs !== dayStartMs) this.#day = { startMs: dayStartMs, hours: new Set(), busy: new Set() };
    const startedMs = performance.now();
    const found = await this.#findBusy(startMs);
    await this.#rest(performance.now() - startedMs);
    this.#day.hours.add(startMs);
    for (const accountId of found) this.#day.busy.add(accountId);
    return found;
  }

  /** The day that ends with this hour, and of those before it what was booked since they were summed. */
  async #sumDays(lastHourMs: number, signal?: AbortSignal): Promise<void> {
    const day = lastHourMs + hourMs - dayMs;
    for (let before = day - (daysAgain - 1) * dayMs; before < day; before += dayMs) {
      for (const accountId of await this.#findChanged(before)) await this.#sum(accountId, dayMs, before, signal);
    }
    for (let hour = day; hour < day + dayMs; hour += hourMs) {
      if (signal?.aborted) return;
      if (this.#day.startMs !== day || !this.#day.hours.has(hour)) await this.#findBusyAndRemember(hour);
    }
    for (const accountId of this.#day.busy) await this.#sum(accountId, dayMs, day, signal);
    // Nobody asks for it again.
    this.#day = noDay;
  }

  /**
   * The busy accounts of a day that was summed before which may have changed since: what was booked later is noted as late, but for some
   * of the last hour (`isBookedLate` in `server/ledger/commits/sum-usage.ts`).
   */
  async #findChanged(day: number): Promise<ReadonlySet<string>> {
    const { unitOfWork, busyCalls = usualBusyCalls } = this.parts;
    const rows: readonly { account_id: string }[] = await unitOfWork.reader.query(
      `SELECT u.account_id FROM (SELECT DISTINCT account_id, hour_ms FROM usage_late WHERE hour_ms >= ? AND hour_ms < ?) l
         JOIN usage_hour u ON u.account_id = l.account_id AND u.hour_ms = l.hour_ms
       GROUP BY u.account_id, u.hour_ms HAVING SUM(u.calls) >= ?`,
      [day, day + dayMs, busyCalls],
    );
    const late = rows.map(({ account_id }) => account_id);
    return new Set([...late, ...(await this.#findBusy(day + dayMs - hourMs))]);
  }

  async #sum(
    accountId: string,
    spanMs: typeof hourMs | typeof dayMs,
    startMs: number,
    signal?: AbortSignal,
  ): Promise<void> {
    for (const kind of kinds) {
      if (signal?.aborted) return;
      const startedMs = performance.now();
      await this.#sumOne({ accountId, kind, spanMs, startMs });
      await this.#rest(performance.now() - startedMs, signal);
    }
  }

  async #sumOne(name: UsageSetName): Promise<void> {
    const { unitOfWork } = this.parts;
    const { reader } = unitOfWork;
    const span = { accountId: name.accountId, fromMs: name.startMs, toMs: name.startMs + name.spanMs };
    const wanted = (await readHourTotals(reader, span)).values();
    const { kind, spanMs, startMs } = name;
    const kept = (await readSetTotals(reader, { ...span, kind, spanMs })).get(startMs);
    const totals = sumUp([...wanted]);
    if (kept !== undefined && areSame(kept.sums, totals)) return;
    const columns = columnsOfKind[name.kind];
    const all = { ...span, starts: [startMs], areDays: spanMs === dayMs, columns, filter: {}, callsMax };
    const rows = await sumMarkedUse(reader, all).catch(orNothing);
    const parts = merge(rows, columns);
    // A receipt that says so may still be replaced, by one that comes to the same.
    const mayChange = parts.some(({ outcome }) => outcome === 'expired');
    const isKept = parts.length > 0 && !mayChange && parts.length <= partsMaxOf(name.spanMs);
    if (!isKept && kept === undefined) return;
    await unitOfWork.transactForServer((transaction) => replaceSet(transaction, name, isKept ? parts : []));
  }

  /** Sets of the time that is looked at most, each followed by rest. */
  async #packOld(signal?: AbortSignal): Promise<void> {
    const { clock, unitOfWork } = this.parts;
    for (const spanMs of [dayMs, hourMs]) {
      for (let isMore = true; isMore; ) {
        if (signal?.aborted) return;
        const startedMs = performance.now();
        isMore = await packSets(unitOfWork, { spanMs, fromMs: clock.nowMs() - packedSpanMs });
        await this.#rest(performance.now() - startedMs, signal);
      }
    }
    this.#isPacked = true;
  }

  /** Some of the sets in each round: what is wrong is summed again, from the receipts. */
  async #mend(signal?: AbortSignal): Promise<void> {
    for (let step = 0; step < mendStepsPerRound && !signal?.aborted; step += 1) {
      const startedMs = performance.now();
      const { removed, isMore } = await this.#mender.mendSome();
      for (const { accountId, kind, spanMs, startMs } of removed) {
        this.parts.logger.warn('usage_set_wrong', { accountId, kind, spanMs, startMs });
        await this.#sumOne({ accountId, kind, spanMs, startMs });
      }
      await this.#rest(performance.now() - startedMs, signal);
      if (!isMore) return;
    }
  }

  async #rest(tookMs: number, signal?: AbortSignal): Promise<void> {
    const restMs = tookMs * (this.parts.restPerSet ?? usualRestPerSet);
    await sleep(restMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
  }
}

// Receipts that were removed, or too many of them.
function orNothing(error: unknown): readonly never[] {
  if (error instanceof InvalidInputError) return [];
  throw error;
}

/** Rows that are alike in all these columns, as one. */
function merge(rows: readonly Readonly<Record<string, unknown>>[], columns: readonly string[]) {
  const parts = new Map<string, Readonly<Record<string, unknown>>>();
  for (const row of rows) {
    const key = JSON.stringify(columns.map((column) => row[column]));
    const known = parts.get(key);
    parts.set(key, { ...row, ...sumUp((known === undefined ? [row] : [known, row]).map(toUsageSums)) });
  }
  return [...parts.values()];
}
