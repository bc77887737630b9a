import type { EntityManager } from 'typeorm';

interface AddedTable {
  readonly table: string;
  /** Its primary key. */
  readonly keys: readonly string[];
  /** Whole numbers, each added to what a row of the same key has. */
  readonly sums: readonly string[];
}

const rowsPerStatement = 500;

/** Adds each row to the one of the same key, or makes it. Names of tables and columns come from the code alone. */
export async function addRows(
  transaction: EntityManager,
  { table, keys, sums }: AddedTable,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns = [...keys, ...sums];
  const isSqlite = transaction.connection.options.type === 'better-sqlite3';
  const added = (column: string) => (isSqlite ? `excluded.${column}` : `VALUES(${column})`);
  const assignments = sums.map((column) => `${column} = ${table}.${column} + ${added(column)}`).join(', ');
  const conflict = isSqlite ? `ON CONFLICT (${keys.join(', ')}) DO UPDATE SET` : 'ON DUPLICATE KEY UPDATE';
  const place = `(${columns.map(() => '?').join(', ')})`;
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const some = rows.slice(start, start + rowsPerStatement);
    await transaction.query(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${some.map(() => place).join(', ')} ${conflict} ${assignments}`,
      some.flatMap((row) => columns.map((column) => row[column])),
    );
  }
}
