import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const announcement: TableSpec = {
  name: 'announcement',
  columns: {
    id: c.idColumn,
    is_maintenance: c.booleanColumn,
    text: c.textColumn,
    starts_at_ms: c.instantColumn,
    ends_at_ms: { ...c.instantColumn, nullable: true },
    created_by: c.nameColumn,
    created_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
};

/** What operators tell everybody, maintenance too. */
export class Announcements1799280000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, announcement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, announcement.name);
  }
}
