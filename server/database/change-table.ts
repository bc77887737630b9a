import type { ColumnOptions, QueryRunner } from 'typeorm';

/** The columns that a later migration adds to a table: each may be empty, since the rows that are there have no value. */
export type AddedColumns = Readonly<Record<string, Pick<ColumnOptions, 'type' | 'length'>>>;

/**
 * Adds columns to a table that has rows. Both databases do it in place by the same words; TypeORM would copy the whole table
 * on SQLite, which its foreign keys forbid.
 */
export async function addColumns(queryRunner: QueryRunner, table: string, columns: AddedColumns): Promise<void> {
  for (const [name, { type, length }] of Object.entries(columns)) {
    const size = length === undefined ? '' : `(${length})`;
    await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${name} ${String(type)}${size} NULL`);
  }
}

/** Takes back what `addColumns` did. */
export async function dropColumns(queryRunner: QueryRunner, table: string, columns: AddedColumns): Promise<void> {
  for (const name of Object.keys(columns)) await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${name}`);
}
