import mysql2 from 'mysql2';
import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { Secret } from '../../kernel/secret.js';
import { PlainFailure } from '../../kernel/settings/plain-failure.js';
import { closeMysql, connectMysql } from '../connect-mysql.js';
import { readMysqlUrl } from '../database-address.js';
import { plainOf } from '../pool/driver-inside.js';
import { mysqlSessionStatements } from '../session-settings.js';
import { Sqlite } from '../sqlite-driver.js';
import { keyOf, listTables, type MovedTable, type Row, readRows, TableDigest } from './table-rows.js';

/** Why a database is not moved, and what to do; nothing of the source was changed. */
export class MoveRefusedError extends PlainFailure {
  override readonly name = 'MoveRefusedError';
}

export interface MoveInput {
  /** A SQLite file with today's schema, which nobody else has open. */
  readonly file: string;
  /** A MySQL database with today's schema: without rows, or from an earlier move of this file that did not come to its end. */
  readonly to: Secret;
  /** Tables that the migrations of the target have filled themselves. */
  readonly without: readonly string[];
  readonly report: (line: string) => void;
}

/** What was moved of one table. */
export interface MovedRows {
  readonly table: string;
  readonly rowCount: number;
}

const rowsPerBatchMax = 4_000;
/** A batch is one packet of the server's, and the one after it is made ready meanwhile. */
const batchBytesMax = 4 * 1024 ** 2;
/** Of a row: four texts of 64 kB, escaped. */
const rowBytesMax = 512 * 1024;
const reportEveryMs = 2_000;
const progressTable = 'database_move';
const schemaRowsMax = 20;
const silentSecondsMax = 28_800;
/** A server may be at work there. */
const writtenSince =
  'The file was moved there before, and the target was written to since. Nothing was changed. Start no server on the file.';

/**
 * Copies every row of a SQLite database to MySQL, and then reads both sides whole and compares them.
 *
 * Can be stopped at any moment and begun again: each batch is committed together with the key up to which it went. Begun again after its
 * end, it compares alone, but where no table has more than 20 rows, which are copied anew. The file is locked meanwhile and never written to. Memory holds two batches of up to 4 MB.
 * @throws MoveRefusedError when the file is in use, the target holds something else, or the two sides differ afterwards.
 */
export async function moveDatabase({ file, to, without, report }: MoveInput): Promise<readonly MovedRows[]> {
  const source = openAlone(file);
  try {
    const target = await connectMysql(toOptions(to));
    // It has streams, which the types of its promises do not know.
    const driver = plainOf(target);
    try {
      await prepareSession(target);
      const tables = listTables(source, without);
      const isCopied = await claimTarget(source, driver, { tables, report });
      if (!isCopied) for (const table of tables) await copyTable(source, target, { table, report });
      const moved: MovedRows[] = [];
      const remedy = isCopied ? writtenSince : 'Empty the target and move again.';
      for (const table of tables) moved.push(await compareTable(source, driver, { table, report }, remedy));
      await target.query(`DROP TABLE IF EXISTS ${progressTable}`);
      return moved;
    } finally {
      await closeMysql(target);
    }
  } finally {
    source.close();
  }
}

/** @throws MoveRefusedError while somebody else has the file open. */
export function assertNobodyUses(file: string): void {
  openAlone(file).close();
}

type Source = ReturnType<typeof openAlone>;

// In this mode SQLite lets nobody else have the file open, so a running server is noticed even when it is idle.
function openAlone(file: string) {
  try {
    const source = new Sqlite(file, { fileMustExist: true, timeout: 1_000 });
    source.pragma('locking_mode = EXCLUSIVE');
    source.exec('BEGIN EXCLUSIVE');
    return source;
  } catch (error) {
    const code = String((error as { code?: string }).code);
    if (!code.startsWith('SQLITE_BUSY')) throw error;
    throw new MoveRefusedError(`${file} is in use. Stop the server and every other program that has it open.`);
  }
}

function toOptions(to: Secret): mysql2.ConnectionOptions {
  const options = { charset: 'utf8mb4_bin', timezone: 'Z', supportBigNumbers: true, connectTimeout: 10_000 };
  return { ...readMysqlUrl(to), ...options, multipleStatements: true };
}

async function prepareSession(target: Connection): Promise<void> {
  for (const statement of mysqlSessionStatements) await target.query(statement);
  // Rows come table by table; that they fit together is compared at the end, row by row. While the file is read, nothing is said to the server.
  await target.query(`SET SESSION foreign_key_checks = 0, wait_timeout = ${silentSecondsMax}`);
}

/**
 * Marked before anything is taken away, so that a move that was stopped knows its own target again.
 * @returns whether an earlier move has come to its end there: a table has more rows than its schema brought, and they are the file's.
 */
async function claimTarget(
  source: Source,
  driver: mysql2.Connection,
  { tables, report }: { readonly tables: readonly MovedTable[]; readonly report: (line: string) => void },
): Promise<boolean> {
  const target = driver.promise();
  const [known] = await target.query<RowDataPacket[]>('SHOW TABLES LIKE ?', [progressTable]);
  if (known.length > 0) return false;
  for (const table of tables) {
    if (await isFresh(source, target, table)) continue;
    const { before, after } = await digestBoth(source, driver, { table, report });
    if (before === after) return true;
    throw new MoveRefusedError(`The target already holds rows of its own in ${table.name}. Name an empty database.`);
  }
  await target.query(
    `CREATE TABLE ${progressTable} (table_name VARCHAR(64) NOT NULL PRIMARY KEY, moved_to TEXT NOT NULL, is_done BOOLEAN NOT NULL) ENGINE = InnoDB`,
  );
  return false;
}

// A few rows come with the schema itself, such as the ledger's system accounts; the file has the same ones.
async function isFresh(source: Source, target: Connection, { name, key }: MovedTable): Promise<boolean> {
  const columns = key.map((column) => `\`${column}\``).join(', ');
  const [found] = await target.query<RowDataPacket[]>({
    sql: `SELECT ${columns} FROM ${name} LIMIT ${schemaRowsMax + 1}`,
    rowsAsArray: true,
  });
  const isInFile = source.prepare(
    `SELECT 1 FROM ${name} WHERE ${key.map((column) => `"${column}" = ?`).join(' AND ')}`,
  );
  const rows = found as unknown as Row[];
  return rows.length <= schemaRowsMax && rows.every((row) => isInFile.get(...row) !== undefined);
}

interface TableWork {
  readonly table: MovedTable;
  readonly report: (line: string) => void;
}

async function copyTable(source: Source, target: Connection, { table, report }: TableWork): Promise<void> {
  const wanted = Number(source.prepare(`SELECT COUNT(*) FROM ${table.name}`).pluck().get());
  const tell = everySoOften(report);
  const progress = await readProgress(target, table);
  if (progress.after === null) await target.query(`DELETE FROM ${table.name}`);
  const bytesMax = await readBatchBytesMax(target);
  let { rowCount } = progress;
  let batch = progress.isDone ? null : makeBatch(source, table, progress.after, bytesMax);
  while (batch !== null) {
    const writing = writeBatch(target, table, batch);
    // Heard below; what is read from the file meanwhile may fail first.
    writing.catch(() => {});
    rowCount += batch.rowCount;
    batch = batch.isLast ? null : makeBatch(source, table, batch.after, bytesMax);
    await writing;
    tell(`${table.name}: ${rowCount} of ${wanted} rows copied`);
  }
}

async function readBatchBytesMax(target: Connection): Promise<number> {
  const [rows] = await target.query<RowDataPacket[]>('SELECT @@max_allowed_packet AS bytes');
  return Math.min(batchBytesMax, Number(rows[0]?.bytes) - rowBytesMax);
}

/** Rows of a table, ready to be sent, and the key up to which they go. */
interface Batch {
  readonly values: readonly string[];
  readonly rowCount: number;
  readonly after: Row | null;
  readonly isLast: boolean;
}

function makeBatch(source: Source, table: MovedTable, before: Row | null, bytesMax: number): Batch {
  const rows = readRows(source, table, before, rowsPerBatchMax);
  const values: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (bytes > bytesMax) break;
    const text = `(${mysql2.escape([...row])})`;
    values.push(text);
    bytes += Buffer.byteLength(text) + 1;
  }
  const last = rows[values.length - 1];
  const isLast = values.length === rows.length && rows.length < rowsPerBatchMax;
  return { values, rowCount: values.length, after: last === undefined ? before : keyOf(table, last), isLast };
}

async function readProgress(target: Connection, { name }: MovedTable) {
  const [progress] = await target.query<RowDataPacket[]>(
    `SELECT moved_to, is_done FROM ${progressTable} WHERE table_name = ?`,
    [name],
  );
  const [counted] = await target.query<RowDataPacket[]>(`SELECT COUNT(*) AS row_count FROM ${name}`);
  const after = progress[0] === undefined ? null : (JSON.parse(String(progress[0].moved_to)) as Row | null);
  return { after, isDone: Number(progress[0]?.is_done ?? 0) === 1, rowCount: Number(counted[0]?.row_count) };
}

// One round trip. Where a statement fails, the server carries out none of those behind it, and the transaction goes with the connection.
async function writeBatch(
  target: Connection,
  { name, columns }: MovedTable,
  { values, rowCount, after, isLast }: Batch,
): Promise<void> {
  const list = columns.map((column) => `\`${column}\``).join(', ');
  const statements = [
    'START TRANSACTION',
    ...(rowCount === 0 ? [] : [`INSERT INTO ${name} (${list}) VALUES ${values.join(',')}`]),
    mysql2.format(`REPLACE INTO ${progressTable} (table_name, moved_to, is_done) VALUES (?, ?, ?)`, [
      ...[name, JSON.stringify(after), isLast],
    ]),
  ];
  const [answers] = await target.query<ResultSetHeader[]>(statements.join(';'));
  const affectedRows = rowCount === 0 ? 0 : answers[1]?.affectedRows;
  if (affectedRows !== rowCount) throw new Error(`${name} took ${affectedRows} of ${rowCount} rows.`);
  await target.query('COMMIT');
}

async function compareTable(
  source: Source,
  target: mysql2.Connection,
  work: TableWork,
  remedy: string,
): Promise<MovedRows> {
  const { name } = work.table;
  const { before, after, rowCount } = await digestBoth(source, target, work);
  if (before !== after) {
    throw new MoveRefusedError(`${name} differs.\n  file:   ${before}\n  target: ${after}\n${remedy}`);
  }
  work.report(`${name}: equal, ${after}`);
  return { table: name, rowCount };
}

/** What the file (`before`) and the target (`after`) hold of a table, and how many rows the target has. */
async function digestBoth(source: Source, target: mysql2.Connection, { table, report }: TableWork) {
  const tell = everySoOften(report);
  const before = new TableDigest(table);
  const sql = `SELECT ${table.columns.join(', ')} FROM ${table.name}`;
  for (const row of source.prepare(sql).raw().iterate()) before.add(row as Row);
  const after = new TableDigest(table);
  const columns = table.columns.map((column) => `\`${column}\``).join(', ');
  // As a stream: a million rows do not fit into memory at once.
  const rows = target.query({ sql: `SELECT ${columns} FROM ${table.name}`, rowsAsArray: true }).stream();
  // The loss of a connection is told to the connection alone, and its stream would never end.
  const onLost = (error: Error) => void rows.destroy(error);
  target.once('error', onLost);
  for await (const row of rows) {
    after.add(row as Row);
    tell(`${table.name}: ${after.rowCount} of ${before.rowCount} rows compared`);
  }
  target.off('error', onLost);
  return { before: String(before), after: String(after), rowCount: after.rowCount };
}

function everySoOften(report: (line: string) => void): (line: string) => void {
  let toldMs = performance.now();
  return (line) => {
    if (performance.now() - toldMs < reportEveryMs) return;
    toldMs = performance.now();
    report(line);
  };
}
