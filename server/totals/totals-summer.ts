import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { allowDuplicate } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { WallClock } from '../kernel/clock.js';
import { groupBy } from '../kernel/group-by.js';
import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import type { Logger } from '../kernel/logger.js';
import { monthOf } from '../kernel/spend-period.js';
import { addRows } from './add-rows.js';
import { takeBackTotals } from './take-back-totals.js';
import { findTotalsMark, hourMs } from './totals-hours.js';
import { TotalsMarkEntity } from './totals-mark.entity.js';

export interface TotalsSummerParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: WallClock;
  /** The time by which the ledger writes its rows, and tells which are late. Left out: that of the clock. */
  readonly findNowMs?: () => Promise<number>;
  readonly logger: Logger;
  /** Of the prices that were in force at that time; 0: the settings and the file alone. */
  readonly findPriceVersionAt: (atMs: number) => Promise<number>;
  /** After each transaction so many times its own length in which nothing is done. Left out: 2. */
  readonly restPerStep?: number;
  /** Accounts of one transaction. Left out: 100. */
  readonly accountsPerStep?: number;
}

/** What an account used of one model at one provider in an hour. */
interface HourRow {
  readonly account_id: string;
  readonly model: string;
  readonly provider: string;
  readonly calls: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly charged_millicredits: number;
  readonly absorbed_millicredits: number;
}

interface Mark {
  readonly hourMs: number;
  readonly accountId: string;
}

const intervalMs = 300_000;
/** Ten minutes after the time from which the ledger notes what comes late (`isBookedLate` in `server/ledger/commits/sum-usage.ts`). */
export const settledMs = 2 * hourMs;
const usualRestPerStep = 2;
const usualAccountsPerStep = 100;
const tokenColumns = ['calls', 'prompt_tokens', 'completion_tokens'] as const;
const sumColumns = [...tokenColumns, 'charged_millicredits', 'absorbed_millicredits'] as const;
type SumColumn = (typeof sumColumns)[number];

/**
 * Sums each hour of use that is over, once, and again where the sums were found wrong: of all accounts together, and of each into its month. It runs beside the calls; nothing of
 * it is on a call's way. Each step is one transaction that moves the mark from where it was read, so that it may be cut off anywhere,
 * several processes may do it at once, and no row is added twice. Nobody depends on it: what is not summed is read from the hours themselves.
 */
export class TotalsSummer {
  /** From when on sums were found wrong; null: none. */
  #wrongFromMs: number | null = null;
  /** Begins within five minutes, not with all other processes at once, and looks again every five. */
  readonly job: RepeatedJob;

  constructor(private readonly parts: TotalsSummerParts) {
    this.job = new RepeatedJob({
      run: (signal) => this.sumUp(signal),
      intervalMs,
      onFailure: (error) => parts.logger.error('totals_not_summed', { error }),
    });
  }

  /** Has the sums of that time's month, and all after it, made anew with the next look: whoever proves the books found some of them wrong. */
  sumAgainFrom(atMs: number): void {
    this.#wrongFromMs = Math.min(this.#wrongFromMs ?? atMs, atMs);
  }

  /** Sums every hour that is over, oldest first. @throws the database's error. */
  async sumUp(signal?: AbortSignal): Promise<void> {
    const { clock, unitOfWork, findNowMs = async () => clock.nowMs() } = this.parts;
    if (this.#wrongFromMs !== null) await this.#takeBack(this.#wrongFromMs, signal);
    while (!signal?.aborted) {
      const mark = (await findTotalsMark(unitOfWork.reader)) ?? (await this.#insertMark(signal));
      const hour = await this.#findNextHour(mark);
      if (hour === null || hour + settledMs > (await findNowMs())) break;
      const next = { hourMs: hour, accountId: '' };
      // From here on the ledger notes beside whatever it books in the hour, whatever the clock says; only then is it read.
      if (mark.hourMs !== hour && !(await this.#step(mark, next, async () => {}))) continue;
      await this.#sumHour(hour, mark.hourMs === hour ? mark : next, signal);
    }
    if (!signal?.aborted) this.job.noteDone(clock.nowMs());
  }

  async #takeBack(fromMs: number, signal: AbortSignal | undefined): Promise<void> {
    const isAny = await takeBackTotals(this.parts.unitOfWork, fromMs, signal);
    if (isAny)
      this.parts.logger.warn('usage_totals_wrong', { summedAgainFrom: new Date(monthOf(fromMs)).toISOString() });
    if (this.#wrongFromMs === fromMs) this.#wrongFromMs = null;
  }

  async #insertMark(signal: AbortSignal | undefined): Promise<Mark> {
    const mark = { name: 'usage', hourMs: 0, accountId: '' };
    await allowDuplicate(
      this.parts.unitOfWork.transactForServer((transaction) => transaction.insert(TotalsMarkEntity, mark)),
    );
    // Sums without a mark, of which nobody knows what is in them, would be added to.
    await this.#takeBack(0, signal);
    return mark;
  }

  async #findNextHour(mark: Mark): Promise<number | null> {
    const { reader } = this.parts.unitOfWork;
    const [row] = await reader.query('SELECT MIN(hour_ms) AS hour_ms FROM usage_hour WHERE hour_ms >= ?', [
      mark.hourMs,
    ]);
    return row?.hour_ms == null ? null : Number(row.hour_ms);
  }

  async #sumHour(hour: number, mark: Mark, signal?: AbortSignal): Promise<void> {
    const rows = await this.#readHour(hour);
    const byAccount = groupBy(rows, (row) => row.account_id);
    const accounts = [...byAccount.keys()].sort(compareBytes);
    const { accountsPerStep = usualAccountsPerStep, findPriceVersionAt } = this.parts;
    const priceVersion = await findPriceVersionAt(hour);
    let at: Mark = mark;
    const left = mark.hourMs === hour ? accounts.filter((id) => compareBytes(id, mark.accountId) > 0) : accounts;
    for (let start = 0; start < left.length; start += accountsPerStep) {
      if (signal?.aborted) return;
      const some = left.slice(start, start + accountsPerStep);
      const next = { hourMs: hour, accountId: some.at(-1) ?? '' };
      const ofThem = some.flatMap((id) => byAccount.get(id) ?? []);
      const isMoved = await this.#step(at, next, (transaction) =>
        addAccounts(transaction, { hour, priceVersion }, ofThem),
      );
      // Another process is at it: what it has done is read anew.
      if (!isMoved) return;
      at = next;
    }
    await this.#step(at, { hourMs: hour + hourMs, accountId: '' }, (transaction) => addTotals(transaction, hour, rows));
  }

  /** An hour less what was noted as late of it, in one statement: whatever comes later is in both, so the difference stays. */
  async #readHour(hour: number): Promise<readonly HourRow[]> {
    const columns = `account_id, model, provider, ${sumColumns.join(', ')}`;
    const less = `account_id, model, provider, ${sumColumns.map((column) => `-${column}`).join(', ')}`;
    const sums = sumColumns.map((column) => `SUM(${column}) AS ${column}`).join(', ');
    const rows: Readonly<Record<string, unknown>>[] = await this.parts.unitOfWork.reader.query(
      `SELECT account_id, model, provider, ${sums} FROM (
         SELECT ${columns} FROM usage_hour WHERE hour_ms = ? UNION ALL SELECT ${less} FROM usage_late WHERE hour_ms = ?
       ) u GROUP BY account_id, model, provider`,
      [hour, hour],
    );
    return rows.map(toHourRow);
  }

  /** @returns whether the mark was where it was thought to be; else nothing is written. */
  async #step(from: Mark, to: Mark, write: (transaction: EntityManager) => Promise<void>): Promise<boolean> {
    const startedMs = performance.now();
    const isMoved = await this.parts.unitOfWork.transactForServer(async (transaction) => {
      const where = { name: 'usage', hourMs: from.hourMs, accountId: from.accountId };
      const { affected } = await transaction.update(TotalsMarkEntity, where, { ...to });
      if (affected !== 1) return false;
      await write(transaction);
      return true;
    });
    await sleep((performance.now() - startedMs) * (this.parts.restPerStep ?? usualRestPerStep));
    return isMoved;
  }
}

async function addAccounts(
  transaction: EntityManager,
  { hour, priceVersion }: { readonly hour: number; readonly priceVersion: number },
  rows: readonly HourRow[],
): Promise<void> {
  const monthMs = monthOf(hour);
  const months = [...groupBy(rows, (row) => row.account_id)].map(([accountId, some]) => ({
    month_ms: monthMs,
    account_id: accountId,
    ...sumOf(some),
  }));
  const parts = rows.map((row) => ({ ...row, month_ms: monthMs, price_version: priceVersion }));
  await addRows(transaction, { table: 'account_month', keys: ['month_ms', 'account_id'], sums: sumColumns }, months);
  const keys = ['month_ms', 'account_id', 'model', 'provider', 'price_version'];
  await addRows(transaction, { table: 'account_part', keys, sums: tokenColumns }, parts);
}

async function addTotals(transaction: EntityManager, hour: number, rows: readonly HourRow[]): Promise<void> {
  const byRoute = groupBy(rows, ({ model, provider }) => JSON.stringify([model, provider]));
  const totals = [...byRoute.values()].flatMap((some) => {
    const [first] = some;
    return first === undefined ? [] : [{ hour_ms: hour, model: first.model, provider: first.provider, ...sumOf(some) }];
  });
  const keys = ['hour_ms', 'model', 'provider'];
  await addRows(transaction, { table: 'usage_total', keys, sums: sumColumns }, totals);
}

function sumOf(rows: readonly HourRow[]): Readonly<Record<SumColumn, number>> {
  const sum = (column: SumColumn) => rows.reduce((total, row) => total + row[column], 0);
  return Object.fromEntries(sumColumns.map((column) => [column, sum(column)])) as Record<SumColumn, number>;
}

function toHourRow(row: Readonly<Record<string, unknown>>): HourRow {
  const sums = Object.fromEntries(sumColumns.map((column) => [column, Number(row[column])]));
  const names = { account_id: String(row.account_id), model: String(row.model), provider: String(row.provider) };
  return { ...names, ...(sums as Record<SumColumn, number>) };
}

// As the mark is compared by nobody but this, any order will do that is the same in every process.
function compareBytes(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
