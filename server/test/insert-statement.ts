import { escape as escapeValue, type SqlValue } from 'mysql2';

/** Asks one database of a server; several statements, parted by `;`, answer one list each. */
export type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** The statement that writes this row again on MariaDB or MySQL. */
export function toInsert(table: string, row: Readonly<Record<string, unknown>>): string {
  const columns = Object.keys(row).map((column) => `\`${column}\``);
  return `INSERT INTO \`${table}\` (${columns.join(', ')}) VALUES (${Object.values(row)
    .map((value) => escapeValue(value as SqlValue))
    .join(', ')})`;
}
