import type { RowDataPacket } from 'mysql2/promise';
import { closeMysql, connectMysql } from '../../database/connect-mysql.js';
import { type DatabaseAddress, readMysqlUrl } from '../../database/database-address.js';
import { mysqlSessionStatements } from '../../database/session-settings.js';
import { Sqlite } from '../../database/sqlite-driver.js';
import { systemClock } from '../../kernel/clock.js';
import type { Secret } from '../../kernel/secret.js';
import type { LedgerQueries, LedgerRow } from './check-ledger.js';

/** The database as it was at one moment, on a connection of its own, however long one looks and whatever moves meanwhile. */
export interface LedgerSnapshot extends LedgerQueries {
  /** The database's clock at that moment. */
  readonly nowMs: number;
  close(): Promise<void>;
}

/** How often two snapshots are taken anew until they show the same moment; a busy ledger moves in between. */
const attemptsMax = 5;

/**
 * Opens a snapshot on each of several connections, all of one moment, so that long questions can be asked side by side; or
 * a single one, where the ledger moved between them each time or the database has only one reader's worth of work (SQLite
 * answers in the thread that asks). Never empty.
 */
export async function openLedgerSnapshots(address: DatabaseAddress): Promise<readonly LedgerSnapshot[]> {
  if (address.kind === 'sqlite') return [await openSqliteSnapshot(address.file)];
  for (let attemptsLeft = attemptsMax; ; attemptsLeft -= 1) {
    const [one, other] = await openBoth(address.url);
    const isSameMoment = await showSameMoment(one, other).catch(async (error) => {
      await Promise.allSettled([one.close(), other.close()]);
      throw error;
    });
    if (isSameMoment) return [one, other];
    await other.close();
    if (attemptsLeft === 1) return [one];
    await one.close();
  }
}

async function openBoth(url: Secret): Promise<[LedgerSnapshot, LedgerSnapshot]> {
  const [one, other] = await Promise.allSettled([openMysqlSnapshot(url), openMysqlSnapshot(url)]);
  if (one.status === 'fulfilled' && other.status === 'fulfilled') return [one.value, other.value];
  for (const opened of [one, other]) if (opened.status === 'fulfilled') await opened.value.close();
  throw one.status === 'rejected' ? one.reason : (other as PromiseRejectedResult).reason;
}

// Whatever moves credits raises the counter of a wallet, and no counter ever falls: equal sums are equal ledgers.
async function showSameMoment(one: LedgerSnapshot, other: LedgerSnapshot): Promise<boolean> {
  const sql = 'SELECT COUNT(*) AS wallets, COALESCE(SUM(seq), 0) AS moves FROM ledger_account';
  const [[left], [right]] = await Promise.all([one.query(sql), other.query(sql)]);
  return left?.wallets === right?.wallets && left?.moves === right?.moves;
}

/** Opens a snapshot that can only be read. On SQLite its queries block the thread that asks. */
export function openLedgerSnapshot(address: DatabaseAddress): Promise<LedgerSnapshot> {
  return address.kind === 'sqlite' ? openSqliteSnapshot(address.file) : openMysqlSnapshot(address.url);
}

async function openSqliteSnapshot(file: string): Promise<LedgerSnapshot> {
  const database = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    // The snapshot begins with the first read, not with BEGIN.
    database.exec('BEGIN; SELECT 1 FROM ledger_account LIMIT 1');
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    // Only this host writes to the file, so the host's clock is the database's clock.
    nowMs: systemClock.nowMs(),
    query: async (sql) => database.prepare(sql).all() as LedgerRow[],
    close: async () => void database.close(),
  };
}

async function openMysqlSnapshot(url: Secret): Promise<LedgerSnapshot> {
  const connection = await connectMysql({
    ...readMysqlUrl(url),
    supportBigNumbers: true,
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    connectTimeout: 5_000,
  });
  const query = async (sql: string) => (await connection.query<RowDataPacket[]>(sql))[0] as LedgerRow[];
  try {
    for (const statement of mysqlSessionStatements) await connection.query(statement);
    // Sums over a large journal stay in memory: on the server's disk they take twice as long.
    await connection.query('SET SESSION tmp_table_size = 268435456, max_heap_table_size = 268435456');
    // Under READ COMMITTED, where our sessions live, every statement would see a database of its own.
    await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
    const [clock] = await query('SELECT CAST(ROUND(UNIX_TIMESTAMP(NOW(3)) * 1000) AS SIGNED) AS now_ms');
    return { nowMs: Number(clock?.now_ms), query, close: () => closeMysql(connection) };
  } catch (error) {
    connection.destroy();
    throw error;
  }
}
