import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { monthOf } from '../../kernel/spend-period.js';
import { lockWallet } from '../key-spend/forget-key-spend.js';
import { columnsOf, usageSums } from '../tables/ledger-columns.js';
import {
  findWrongHours,
  findWrongSealedMonths,
  type HourName,
  readHours,
  type UsageSum,
  type WrongHour,
} from './find-wrong-hours.js';
import { findWrongCounters, mendCounters } from './mend-counters.js';

/** How far the use of an account is from its receipts, or was until it was mended. */
export interface AccountMend {
  readonly accountId: string;
  /** Rows of `usage_hour`; at `rowsAtOnce`, without `isApplied`, nobody counted further. */
  readonly hours: number;
  /** What they lack; less than zero: what they have too much. */
  readonly calls: number;
  readonly tokens: number;
  readonly chargedMillicredits: number;
  /** Counters of keys' spend limits. */
  readonly counters: number;
  /** Why nothing of it, or not all, is mended; null: all of it can be, or is. */
  readonly left: 'too_young' | 'receipts_removed' | 'changes_meanwhile' | null;
}

/** What one transaction has changed, for whoever writes that down in it. */
export interface MendStep {
  readonly accountId: string;
  readonly hours: number;
  readonly counters: number;
  readonly chargedMillicredits: number;
}

export interface UsageMenderParts {
  readonly unitOfWork: UnitOfWork;
  /** Called in each transaction that changes something. */
  readonly note: (transaction: EntityManager, step: MendStep) => Promise<void>;
  /** Rows that are read at once. Left out: 5,000. */
  readonly rowsAtOnce?: number;
  /** After each transaction so many times its own length in which nothing is done. Left out: 2. */
  readonly restPerStep?: number;
}

const hourMs = 3_600_000;
/** An hour is older than this before it is mended: nobody counts on it alone any more, and what is booked in it is noted as late. */
const settledMs = 2 * hourMs;
const usualRowsAtOnce = 5_000;
const usualRestPerStep = 2;
/** The wallet is locked as long as these are written. */
const rowsPerStep = 25;
const sumNames = usageSums as readonly UsageSum[];
const countersPerStep = 25;
/** Of counters with a row of their own in the scope of a step: a day of each key in a month. */
const countersMax = rowsPerStep * 32;
const triesMax = 5;
const roundsMax = 10_000;

/**
 * Brings the hours of use of accounts to what their receipts say, and the counters of keys that rest on them.
 *
 * Safe beside running servers: the receipts are read in one statement with the hours, so the difference of both is that of one moment, and
 * stays whatever is booked later, which goes into both. It is then added, some rows at a time, in transactions that lock the account's
 * wallet, as each booking does, and only where a row is still as it was read; a row that has changed is read again. So no transaction is
 * longer for an account with more calls, and no receipt is locked. What is added is noted in `usage_late`, too: whoever sums hours takes
 * that off, as for a call that is booked late. A second mender at the same time finds the rows changed, and adds nothing twice.
 */
export class UsageMender {
  constructor(private readonly parts: UsageMenderParts) {}

  /** What is wrong of an account; nothing is changed. @param nowMs By the database's clock. @throws the database's error. */
  async look(accountId: string, nowMs: number): Promise<AccountMend> {
    const { reader } = this.parts.unitOfWork;
    const hours = await this.#find(accountId);
    const counters = await findWrongCounters(reader, accountId, { first: this.#rowsAtOnce });
    return { ...sumOf(accountId, hours, counters.length), left: await this.#findReason(accountId, hours, nowMs) };
  }

  /** Mends what can be. A second time it finds nothing. @param nowMs By the database's clock. @throws the database's error; what is mended by then stays so. */
  async mend(accountId: string, nowMs: number): Promise<AccountMend> {
    let done = sumOf(accountId, [], 0);
    for (let round = 0, triesLeft = triesMax; round < roundsMax && triesLeft > 0; round += 1) {
      const hours = await this.#find(accountId);
      const left = await this.#findReason(accountId, hours, nowMs);
      if (left === 'too_young') return { ...done, left };
      if (hours.length === 0) return { ...add(done, await this.#mendCounters(accountId)), left };
      const before = done.hours;
      for (const rows of inSteps(hours)) done = add(done, await this.#step(accountId, rows));
      if (done.hours === before) triesLeft -= 1;
    }
    return { ...done, left: 'changes_meanwhile' };
  }

  get #rowsAtOnce(): number {
    return this.parts.rowsAtOnce ?? usualRowsAtOnce;
  }

  #find(accountId: string): Promise<readonly WrongHour[]> {
    return findWrongHours(this.parts.unitOfWork.reader, accountId, this.#rowsAtOnce);
  }

  async #findReason(accountId: string, hours: readonly WrongHour[], nowMs: number): Promise<AccountMend['left']> {
    // The latest comes first. While one is too young, the counters of its key cannot be told, so all of the account waits for it.
    if (hours.some(({ hour_ms }) => hour_ms + settledMs > nowMs)) return 'too_young';
    const sealed = await findWrongSealedMonths(this.parts.unitOfWork.reader, accountId);
    return sealed.length > 0 ? 'receipts_removed' : null;
  }

  /** Adds what is missing of some rows, in one transaction, with the counters that rest on them. */
  #step(accountId: string, rows: readonly WrongHour[]): Promise<Mended> {
    return this.#transact(accountId, async (transaction) => {
      const now = new Map((await readHours(transaction, accountId, rows)).map((row) => [textOf(row), row.kept]));
      const asRead = rows.filter((row) =>
        sumNames.every((sum) => (now.get(textOf(row))?.[sum] ?? 0) === row.kept[sum]),
      );
      if (asRead.length === 0) return sumOf(accountId, [], 0);
      for (const table of ['usage_hour', 'usage_late'] as const) await addTo(transaction, table, accountId, asRead);
      const times = asRead.map(({ hour_ms }) => hour_ms);
      const keyIds = [...new Set(asRead.map(({ key_id }) => key_id))];
      const scope = { keyIds, fromMs: Math.min(...times), toMs: Math.max(...times) + hourMs };
      return sumOf(accountId, asRead, await mendCounters(transaction, accountId, { first: countersMax, scope }));
    });
  }

  async #mendCounters(accountId: string): Promise<Mended> {
    let done = sumOf(accountId, [], 0);
    const { reader } = this.parts.unitOfWork;
    for (let round = 0; round < roundsMax; round += 1) {
      const wrong = await findWrongCounters(reader, accountId, { first: countersPerStep });
      if (wrong.length === 0) break;
      const step = await this.#transact(accountId, async (transaction) =>
        sumOf(accountId, [], await mendCounters(transaction, accountId, { first: countersPerStep })),
      );
      done = add(done, step);
    }
    return done;
  }

  async #transact(accountId: string, work: (transaction: EntityManager) => Promise<Mended>): Promise<Mended> {
    const startedMs = performance.now();
    const step = await this.parts.unitOfWork.transactForServer(async (transaction) => {
      await lockWallet(transaction, accountId);
      const mended = await work(transaction);
      if (mended.hours + mended.counters > 0) await this.parts.note(transaction, mended);
      return mended;
    });
    await sleep((performance.now() - startedMs) * (this.parts.restPerStep ?? usualRestPerStep));
    return step;
  }
}

type Mended = Omit<AccountMend, 'left'>;

function sumOf(accountId: string, rows: readonly WrongHour[], counters: number): Mended {
  const sum = (of: UsageSum) => rows.reduce((total, row) => total + lacking(row, of), 0);
  const tokens = sum('prompt_tokens') + sum('completion_tokens');
  const money = { chargedMillicredits: sum('charged_millicredits') };
  return { accountId, hours: rows.length, calls: sum('calls'), tokens, ...money, counters };
}

function add(one: Mended, other: Mended): Mended {
  return {
    accountId: one.accountId,
    hours: one.hours + other.hours,
    calls: one.calls + other.calls,
    tokens: one.tokens + other.tokens,
    chargedMillicredits: one.chargedMillicredits + other.chargedMillicredits,
    counters: one.counters + other.counters,
  };
}

function lacking({ wanted, kept }: WrongHour, sum: UsageSum): number {
  return wanted[sum] - kept[sum];
}

function textOf({ hour_ms, key_id, model, provider }: HourName): string {
  return JSON.stringify([hour_ms, key_id, model, provider]);
}

/** Some rows at a time, those of a month: so a step meets few periods of a key. */
function inSteps(rows: readonly WrongHour[]): WrongHour[][] {
  const steps: WrongHour[][] = [];
  for (const row of rows) {
    const last = steps.at(-1);
    const first = last?.[0];
    const fits = last !== undefined && first !== undefined && last.length < rowsPerStep;
    if (fits && monthOf(first.hour_ms) === monthOf(row.hour_ms)) last.push(row);
    else steps.push([row]);
  }
  return steps;
}

/** Adds what rows lack. Rows of one account are written under the lock of its wallet alone, so adding cannot race. */
async function addTo(
  transaction: EntityManager,
  table: 'usage_hour' | 'usage_late',
  accountId: string,
  rows: readonly WrongHour[],
): Promise<void> {
  const columns = columnsOf.usage_hour;
  const isSqlite = transaction.connection.options.type === 'better-sqlite3';
  const newOf = (sum: string) => (isSqlite ? `excluded.${sum}` : `VALUES(${sum})`);
  const sums = sumNames.map((sum) => `${sum} = COALESCE(${table}.${sum}, 0) + ${newOf(sum)}`).join(', ');
  const found = isSqlite
    ? `ON CONFLICT (account_id, hour_ms, key_id, model, provider) DO UPDATE SET ${sums}`
    : `ON DUPLICATE KEY UPDATE ${sums}`;
  await transaction.query(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows.map(() => `(${columns.map(() => '?').join(', ')})`).join(', ')} ${found}`,
    rows.flatMap((row) => [
      ...[accountId, row.hour_ms, row.key_id, row.model, row.provider],
      ...sumNames.map((sum) => lacking(row, sum)),
    ]),
  );
}
