import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const tables: readonly TableSpec[] = [
  {
    name: 'key_change_count',
    columns: { id: c.integerColumn, number: c.countColumn, is_complete: c.booleanColumn },
    primaryKey: ['id'],
  },
  {
    name: 'key_change',
    columns: {
      number: c.countColumn,
      account_id: c.idColumn,
      key_id: { ...c.idColumn, nullable: true },
      at_ms: c.instantColumn,
    },
    primaryKey: ['number'],
  },
  {
    name: 'running_instance',
    columns: { id: c.idColumn, beats: c.countColumn, change_read: c.countColumn, seen_at_ms: c.instantColumn },
    primaryKey: ['id'],
  },
];

/** How instances on one MySQL tell each other which keys and accounts were changed, and who has taken it over. */
export class KeyChanges1796428800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables) await createTable(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of [...tables].reverse()) await dropTable(queryRunner, name);
  }
}
