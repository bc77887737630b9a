import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropTable } from '../change-table.js';
import * as c from '../columns.js';
import { createTable, type TableSpec } from '../create-table.js';

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
