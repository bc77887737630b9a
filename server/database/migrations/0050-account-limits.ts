import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const accountLimit: TableSpec = {
  name: 'account_limit',
  columns: {
    account_id: c.idColumn,
    requests_per_minute: { ...c.integerColumn, nullable: true },
    tokens_per_minute: { ...c.integerColumn, nullable: true },
    concurrent_calls: { ...c.integerColumn, nullable: true },
    since_ms: c.instantColumn,
  },
  primaryKey: ['account_id'],
};

/** Limits of single accounts, in place of the server's. */
export class AccountLimits1799366400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, accountLimit);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, accountLimit.name);
  }
}
