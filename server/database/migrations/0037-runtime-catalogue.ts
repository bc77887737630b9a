import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const tables: readonly TableSpec[] = [
  {
    name: 'catalogue_revision',
    columns: { id: c.integerColumn, number: c.countColumn },
    primaryKey: ['id'],
  },
  {
    name: 'provider_setting',
    columns: {
      id: c.nameColumn,
      is_off: c.booleanColumn,
      place: { ...c.integerColumn, nullable: true },
      name: { ...c.nameColumn, nullable: true },
      adapter: { ...c.nameColumn, nullable: true },
      base_url: { ...c.urlColumn, nullable: true },
      updated_at_ms: c.instantColumn,
    },
    primaryKey: ['id'],
  },
  {
    name: 'provider_key',
    columns: {
      id: c.idColumn,
      provider_id: c.nameColumn,
      sealed_secret: c.textColumn,
      masked: c.nameColumn,
      weight: c.integerColumn,
      created_at_ms: c.instantColumn,
    },
    primaryKey: ['id'],
    indices: { ix_provider_key_provider: ['provider_id', 'id'] },
  },
];

/** What operators set of providers while servers run, their keys sealed. */
export class RuntimeCatalogue1798243200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables) await createTable(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of tables.toReversed()) await dropTable(queryRunner, name);
  }
}
