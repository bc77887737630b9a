import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const attemptCount: TableSpec = {
  name: 'attempt_count',
  columns: { name_hash: c.hashColumn, attempts: c.integerColumn, ends_at_ms: c.instantColumn },
  primaryKey: ['name_hash'],
  indices: { ix_attempt_count_ends: ['ends_at_ms'] },
};

/** Where several instances on one MySQL count what strangers and sign-ins attempt. */
export class AttemptCounts1796169600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, attemptCount);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, attemptCount.name);
  }
}
