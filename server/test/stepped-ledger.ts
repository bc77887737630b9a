import mysql from 'mysql2/promise';
import { Sqlite } from '../database/sqlite-driver.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { WallClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import type { LeaseTimes } from '../ledger/commits/decide-batch.js';
import { BatchFailure, type BatchOutcome, type LedgerStore } from '../ledger/commits/ledger-store.js';
import { MysqlLedgerStore } from '../ledger/commits/mysql-ledger-store.js';
import { SqliteLedger } from '../ledger/commits/sqlite-ledger.js';
import { createRecallReader } from '../ledger/leases/lease-renewer.js';
import { timesOfCredits } from '../ledger/leases/lease-times.js';
import { Ledger } from '../ledger/ledger.js';
import { SettlementSpool } from '../ledger/settlements/settlement-spool.js';
import type { LedgerOperation } from '../ledger/tables/ledger-rows.js';
import type { TestDatabase } from './each-database.js';
import { trustingKeyWatch } from './lease-calls.js';
import type { LedgerFixture } from './ledger-fixture.js';
import { makeTestFolder } from './test-folder.js';

export interface SteppedLedgerParts {
  readonly instance: string;
  readonly times: LeaseTimes;
  /** The wall clock of the database, by which rows of the journal are written. */
  readonly clock: WallClock;
  /** Milliseconds that have passed for this process. */
  readonly readMs: () => number;
}

/** A ledger of a server process on a database whose clock a test sets. Nothing happens by itself, such as the renewal of leases. */
export function openSteppedLedger(fixture: LedgerFixture, parts: SteppedLedgerParts): Ledger {
  const { instance, times, clock, readMs } = parts;
  const leaseMs = timesOfCredits(times).leaseMs;
  const recalls = createRecallReader(new UnitOfWork(fixture.source));
  return new Ledger({
    stores: [openStore(fixture.database, times, clock)],
    asideStore: openStore(fixture.database, times, clock),
    spool: new SettlementSpool(makeTestFolder('spool'), instance, silentLogger, { databaseId: null }),
    logger: silentLogger,
    instance,
    leases: { keyWatch: trustingKeyWatch, recalls, readMs, leaseMs },
  });
}

function openStore({ address }: TestDatabase, times: LeaseTimes, clock: WallClock): LedgerStore {
  if (address.kind === 'sqlite') return new SteppedSqliteStore(address.file, times, clock);
  return new MysqlLedgerStore(address.url, times, {
    connect: async (options) => {
      const connection = await mysql.createConnection(options);
      const query = connection.query.bind(connection) as unknown as (options: { sql: string }) => Promise<never>;
      const ask = ({ sql, ...rest }: { readonly sql: string }) =>
        query({ ...rest, sql: sql.replaceAll('UNIX_TIMESTAMP(NOW(3))', (clock.nowMs() / 1_000).toFixed(3)) });
      return Object.assign(connection, { query: ask });
    },
  });
}

/** In this thread, whose clock a test can set, and not in one of its own. */
class SteppedSqliteStore implements LedgerStore {
  readonly operationsPerBatchMax = 128;
  readonly #database;
  readonly #ledger: SqliteLedger;

  constructor(file: string, times: LeaseTimes, clock: WallClock) {
    this.#database = new Sqlite(file, { fileMustExist: true, timeout: 0 });
    this.#database.pragma('foreign_keys = ON');
    const nowMs = () => clock.nowMs();
    this.#ledger = new SqliteLedger(this.#database, times, { nowMs, elapsedMs: nowMs, monotonicMs: nowMs });
  }

  async commitBatch(operations: readonly LedgerOperation[]): Promise<BatchOutcome> {
    for (;;) {
      try {
        return this.#ledger.commitBatch(operations);
      } catch (error) {
        // A transaction of this very thread is open, which goes on once this waits.
        if (!(error instanceof BatchFailure) || error.code !== 'SQLITE_BUSY') throw error;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  async close(): Promise<void> {
    this.#database.close();
  }
}
