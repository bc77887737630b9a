import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const refusal: TableSpec = {
  name: 'refusal',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    key_id: c.idColumn,
    status: c.integerColumn,
    error_code: c.nameColumn,
    model: { ...c.nameColumn, nullable: true },
    param: { ...c.nameColumn, nullable: true },
    wire: c.wordColumn,
    times: c.integerColumn,
    last_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  indices: { ix_refusal_account: ['account_id', 'id'] },
};

/** What an account's requests were refused for. Without a foreign key, which each refusal would pay for. */
export class Refusals1796947200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, refusal);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, refusal.name);
  }
}
