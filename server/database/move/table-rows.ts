import { createHash } from 'node:crypto';
import type BetterSqlite3 from 'better-sqlite3';

/** A table that is moved, as SQLite describes it. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of its primary key, in the key's order. */
  readonly key: readonly string[];
}

/** What a database hands out of these tables: every column is a whole number or a text. */
export type Value = string | number | bigint | null;
export type Row = readonly Value[];

/** The tables that hold something of ours, each with a primary key to go by. */
export function listTables(source: BetterSqlite3.Database, without: readonly string[]): MovedTable[] {
  const names = source
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .pluck()
    .all() as string[];
  return names
    .filter((name) => !without.includes(name))
    .map((name) => {
      const columns = source.pragma(`table_info(${name})`) as { name: string; pk: number }[];
      const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
      if (key.length === 0) throw new Error(`Table ${name} has no primary key to go by.`);
      return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
    });
}

/** The rows behind a key, in the order of the key; from the first one where `after` is null. */
export function readRows(
  source: BetterSqlite3.Database,
  { name, columns, key }: MovedTable,
  after: Row | null,
  rowsMax: number,
): Row[] {
  const isBehind = after === null ? '' : `WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  const sql = `SELECT ${columns.join(', ')} FROM ${name} ${isBehind} ORDER BY ${key.join(', ')} LIMIT ${rowsMax}`;
  return source
    .prepare(sql)
    .raw()
    .all(...(after ?? [])) as Row[];
}

/** The key of a row. */
export function keyOf({ columns, key }: MovedTable, row: Row): Row {
  return key.map((name) => row[columns.indexOf(name)] ?? null);
}

/**
 * What a table holds, in a form that does not depend on the order of its rows: how many there are, the sum of each column of numbers, and a sum
 * of all rows' hashes. Two tables with one digest hold the same rows.
 */
export class TableDigest {
  #rowCount = 0;
  #hashSum = 0n;
  readonly #sums: bigint[];

  constructor(private readonly table: MovedTable) {
    this.#sums = table.columns.map(() => 0n);
  }

  add(row: Row): void {
    this.#rowCount += 1;
    const hash = createHash('sha256')
      .update(JSON.stringify(row.map(toText)))
      .digest();
    this.#hashSum = BigInt.asUintN(128, this.#hashSum + (hash.readBigUInt64BE(0) << 64n) + hash.readBigUInt64BE(8));
    row.forEach((value, at) => {
      if (typeof value === 'number' || typeof value === 'bigint')
        this.#sums[at] = (this.#sums[at] ?? 0n) + BigInt(value);
    });
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  toString(): string {
    const sums = this.table.columns.map((name, at) => `${name}=${this.#sums[at]}`).filter((sum) => !sum.endsWith('=0'));
    return `${this.#rowCount} rows, hash ${this.#hashSum.toString(16)}, ${sums.join(' ')}`;
  }
}

// The drivers hand out the same number as a number or as a text, by its size.
function toText(value: Value): string | null {
  return value === null ? null : String(value);
}
