import type { EntityManager } from 'typeorm';
import { readSum, sumAsText } from '../../database/exact-sums.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { LedgerHourEntity } from '../tables/ledger-hour.entity.js';
import { type JournalSums, journalSumColumns, toSums } from './journal-sums.js';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

export interface LastHour {
  /** When it begins. */
  readonly hourMs: number;
  /** What all wallets together had when it ended. */
  readonly liabilityAfter: bigint;
}

export interface SummedHour extends LastHour {
  readonly sums: JournalSums;
}

/** Up to where the journal is summed. */
export interface Summed {
  readonly last: LastHour | null;
  /** The end of `last`; 0: nothing is summed. */
  readonly untilMs: number;
}

interface Span {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/** Of leases that run: what is charged and stands in no row of the journal yet. */
export const unbookedColumn = `(SELECT ${sumAsText('l.spent')} FROM ledger_hold h JOIN wallet_lease l ON l.id = h.id WHERE h.state = 'open') AS unbooked`;

/** The last hour that is summed, which nobody adds to or takes back before the transaction has ended; null: none is. */
export async function holdLastHour(transaction: EntityManager): Promise<LastHour | null> {
  const lock = transaction.connection.options.type === 'mysql' ? ' FOR UPDATE' : '';
  const [row] = await transaction.query(
    `SELECT hour_ms, CAST(liability_after AS CHAR) AS liability FROM ledger_hour ORDER BY hour_ms DESC LIMIT 1${lock}`,
  );
  return row === undefined ? null : { hourMs: Number(row.hour_ms), liabilityAfter: readSum(row.liability) };
}

/** Rows of the journal by their time, and the sums of its hours. */
export class JournalRows {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async findSummed(): Promise<Summed> {
    const last = await this.findLastHour();
    return { last, untilMs: last === null ? 0 : last.hourMs + hourMs };
  }

  /** The last hour that is summed, of those that begin before a time. */
  async findLastHour(beforeMs = Number.MAX_SAFE_INTEGER): Promise<LastHour | null> {
    const [row] = await this.query(
      `SELECT hour_ms, CAST(liability_after AS CHAR) AS liability FROM ledger_hour
         WHERE hour_ms < ? ORDER BY hour_ms DESC LIMIT 1`,
      [beforeMs],
    );
    return row === undefined ? null : { hourMs: Number(row.hour_ms), liabilityAfter: readSum(row.liability) };
  }

  /** When the first row from a time on was written; null: there is none. */
  async findFirstMs(fromMs: number): Promise<number | null> {
    const [row] = await this.query('SELECT MIN(at_ms) AS at_ms FROM ledger_transfer WHERE at_ms >= ?', [fromMs]);
    return row?.at_ms == null ? null : Number(row.at_ms);
  }

  /** Whether there are more rows than this; counted no further, and in the index alone. */
  async hasMore({ fromMs, toMs }: Span, max: number): Promise<boolean> {
    const [row] = await this.query(
      `SELECT COUNT(*) AS found FROM (SELECT 1 AS one FROM ${this.byTime}
         WHERE at_ms >= ? AND at_ms < ? LIMIT ${max + 1}) AS part_found`,
      [fromMs, toMs],
    );
    return Number(row?.found) > max;
  }

  /** Row by row. */
  async sum({ fromMs, toMs }: Span): Promise<JournalSums> {
    const [row = {}] = await this.query(
      `SELECT ${journalSumColumns} FROM ${this.byTime} WHERE at_ms >= ? AND at_ms < ?`,
      [fromMs, toMs],
    );
    return toSums(row);
  }

  /** Row by row; each day by its beginning. */
  async sumDays({ fromMs, toMs }: Span): Promise<[number, JournalSums][]> {
    const rows = await this.query(
      `SELECT at_ms - at_ms % ${dayMs} AS day, ${journalSumColumns} FROM ${this.byTime} WHERE at_ms >= ? AND at_ms < ? GROUP BY day`,
      [fromMs, toMs],
    );
    return rows.map((row) => [Number(row.day), toSums(row)]);
  }

  /** Hours that are summed, from a time on, in their order; at most so many. */
  async listHours(fromMs: number, first: number): Promise<readonly SummedHour[]> {
    const sums = this.#columnsOfKinds((column) => `CAST(${column} AS CHAR)`);
    const rows = await this.query(
      `SELECT hour_ms, CAST(liability_after AS CHAR) AS liability, ${sums} FROM ledger_hour
         WHERE hour_ms >= ? ORDER BY hour_ms LIMIT ${first}`,
      [fromMs],
    );
    return rows.map((row) => ({
      hourMs: Number(row.hour_ms),
      liabilityAfter: readSum(row.liability),
      sums: toSums(row),
    }));
  }

  /** By the sums of hours; each day by its beginning. */
  async sumHours({ fromMs, toMs }: Span): Promise<[number, JournalSums][]> {
    const sums = this.#columnsOfKinds(sumAsText);
    const rows = await this.query(
      `SELECT hour_ms - hour_ms % ${dayMs} AS day, ${sums} FROM ledger_hour WHERE hour_ms >= ? AND hour_ms < ? GROUP BY day`,
      [fromMs, toMs],
    );
    return rows.map((row) => [Number(row.day), toSums(row)]);
  }

  #columnsOfKinds(write: (column: string) => string): string {
    const { metadata } = this.unitOfWork.reader.getRepository(LedgerHourEntity);
    const kinds = toSums({});
    return metadata.columns
      .filter(({ propertyName }) => propertyName in kinds)
      .map(({ propertyName, databaseName }) => `${write(databaseName)} AS ${propertyName}`)
      .join(', ');
  }

  /** The journal, read by the time of its rows in any case: once there are statistics, MariaDB may read all of it for its last hours. */
  get byTime(): string {
    const isMysql = this.unitOfWork.reader.connection.options.type === 'mysql';
    return `ledger_transfer ${isMysql ? 'FORCE INDEX (ix_ledger_transfer_time)' : 'INDEXED BY ix_ledger_transfer_time'}`;
  }

  query(sql: string, values: readonly number[]): Promise<Readonly<Record<string, unknown>>[]> {
    return this.unitOfWork.reader.query(sql, [...values]);
  }
}
