import type { EntityManager } from 'typeorm';
import type { WallClock } from '../../kernel/clock.js';

type Reader = Pick<EntityManager, 'connection' | 'query'>;

/** The time of the statement, as rows of the ledger have it. */
const mysqlNowMs = 'CAST(ROUND(UNIX_TIMESTAMP(NOW(3)) * 1000) AS SIGNED)';

/** The clock that all who use one database go by, however far their own ones are apart. */
export interface DatabaseClock {
  /** The moment so many milliseconds after the statement in which it stands, as SQL. */
  sqlAfter(ms: number): string;
  /** @throws the database's error. */
  readMs(): Promise<number>;
}

/** The clock of a database: the server's own; of a SQLite file, which one machine alone has open, that machine's. */
export function createDatabaseClock(reader: Reader, clock: WallClock): DatabaseClock {
  if (reader.connection.options.type === 'better-sqlite3') return createOwnClock(clock);
  return {
    sqlAfter: (ms) => `${mysqlNowMs} + (${Math.round(ms)})`,
    readMs: async () => {
      const [row] = await reader.query(`SELECT ${mysqlNowMs} AS now_ms`);
      return Number(row.now_ms);
    },
  };
}

/** The same by a clock of this machine. */
export function createOwnClock(clock: WallClock): DatabaseClock {
  return { sqlAfter: (ms) => String(Math.round(clock.nowMs() + ms)), readMs: async () => clock.nowMs() };
}

/** The time by which the ledger writes its rows, in milliseconds since 1970-01-01 UTC; asked anew each time. @throws the driver's error. */
export function readDatabaseMs(reader: Reader, clock: WallClock): Promise<number> {
  return createDatabaseClock(reader, clock).readMs();
}
