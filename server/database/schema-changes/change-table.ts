import type { ColumnOptions, QueryRunner } from 'typeorm';
import { isSqliteRunner } from './create-table.js';

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

/*
 * For the way back. TypeORM looks a thing up before it drops it, and fails where an interrupted run has dropped it already; these
 * are single statements, which `MigrationSteps` passes over then.
 */

/** Drops a table that no other one refers to. */
export async function dropTable(queryRunner: QueryRunner, table: string): Promise<void> {
  await queryRunner.query(`DROP TABLE ${table}`);
}

/** Drops an index of a table. */
export async function dropIndex(queryRunner: QueryRunner, table: string, index: string): Promise<void> {
  await queryRunner.query(isSqliteRunner(queryRunner) ? `DROP INDEX ${index}` : `DROP INDEX ${index} ON ${table}`);
}
