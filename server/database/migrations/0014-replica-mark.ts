import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const replicaMark: TableSpec = {
  name: 'replica_mark',
  columns: {
    id: c.integerColumn,
    name: c.idColumn,
    at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
};

/** What tells how far a replica of MySQL has come, where reports are read from one. */
export class ReplicaMark1796256000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, replicaMark);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, replicaMark.name);
  }
}
