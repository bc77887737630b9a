import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { PoolConnection } from 'mysql2';
import type { DataSource, QueryRunner } from 'typeorm';

export type Cell = string | number | null;
export type LoadedRow = readonly Cell[];

export interface LoadedTable {
  readonly table: string;
  /** As in a statement: `id, account_id`. */
  readonly columns: string;
}

const rowsPerInsert = 1_000;
const rowsPerTurn = 10_000;
/** With fewer rows, taking an index off and making it anew costs more than it saves. */
const bulkRowsMin = 100_000;

/**
 * Writes rows straight into a table, as quickly as its database can: millions in minutes. Nothing in them comes from outside, and
 * foreign keys are not looked at. With 100,000 rows or more indexes are made when the rows are in.
 * @param count How many rows there are.
 */
export async function loadRows(
  source: DataSource,
  table: LoadedTable,
  count: number,
  rows: Iterable<LoadedRow>,
): Promise<void> {
  const runner = source.createQueryRunner();
  const isSqlite = source.options.type === 'better-sqlite3';
  const foreignKeys = isSqlite ? 'PRAGMA foreign_keys =' : 'SET SESSION foreign_key_checks =';
  try {
    await runner.query(`${foreignKeys} 0`);
    if (count < bulkRowsMin) await insertRows(runner, table, rows);
    else if (isSqlite) await loadIntoSqlite(runner, table, rows);
    else await loadIntoMysql(runner, table, rows);
    await runner.query(`${foreignKeys} 1`);
  } finally {
    await runner.release();
  }
}

async function insertRows(runner: QueryRunner, table: LoadedTable, rows: Iterable<LoadedRow>): Promise<void> {
  for (const some of inParts(rows, rowsPerInsert)) {
    const values = some.map((row) => `(${row.map(quote).join(', ')})`);
    await runner.query(`INSERT INTO ${table.table} (${table.columns}) VALUES ${values.join(', ')}`);
    await nextTurn();
  }
}

async function loadIntoSqlite(runner: QueryRunner, table: LoadedTable, rows: Iterable<LoadedRow>): Promise<void> {
  const database: Database = await runner.connect();
  const indexes = database
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
    .all(table.table) as { name: string; sql: string }[];
  const kept = ['synchronous', 'cache_size'] as const;
  const before = kept.map((name) => [name, Number(database.pragma(name, { simple: true }))] as const);
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -1000000');
  const places = table.columns.replaceAll(/\w+/g, '?');
  const insert = database.prepare(`INSERT INTO ${table.table} (${table.columns}) VALUES (${places})`);
  database.exec('BEGIN');
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  for (const some of inParts(rows, rowsPerTurn)) {
    for (const row of some) insert.run(...row);
    await nextTurn();
  }
  for (const { sql } of indexes) database.exec(sql);
  database.exec('COMMIT');
  for (const [name, value] of before) database.pragma(`${name} = ${value}`);
}

// One statement into an empty table: MariaDB then makes every index at the end, out of sorted rows.
async function loadIntoMysql(runner: QueryRunner, table: LoadedTable, rows: Iterable<LoadedRow>): Promise<void> {
  const connection = (await runner.connect()) as PoolConnection & { readonly stream: Socket };
  // Sorting says nothing for longer than the pool lets a connection be silent.
  connection.stream.setTimeout(0);
  // MySQL's usual settings refuse it.
  await runner.query('SET GLOBAL local_infile = 1');
  await runner.query('SET SESSION unique_checks = 0');
  const text = Readable.from(writeLines(rows));
  await new Promise<void>((resolve, reject) => {
    const sql = `LOAD DATA LOCAL INFILE 'rows' INTO TABLE ${table.table} (${table.columns})`;
    connection.query({ sql, infileStreamFactory: () => text }, (error) => (error ? reject(error) : resolve()));
  });
  await runner.query('SET SESSION unique_checks = 1');
}

function* writeLines(rows: Iterable<LoadedRow>): Iterable<Buffer> {
  for (const some of inParts(rows, rowsPerInsert)) {
    yield Buffer.from(some.map((row) => `${row.map((cell) => cell ?? '\\N').join('\t')}\n`).join(''));
  }
}

function* inParts(rows: Iterable<LoadedRow>, length: number): Iterable<readonly LoadedRow[]> {
  let part: LoadedRow[] = [];
  for (const row of rows) {
    part.push(row);
    if (part.length < length) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

function quote(cell: Cell): string {
  return typeof cell === 'string' ? `'${cell}'` : String(cell ?? 'NULL');
}
