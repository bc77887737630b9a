import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const toldFilling: TableSpec = {
  name: 'told_filling',
  columns: { account_id: c.idColumn, wallet_seq: c.countColumn, share: c.integerColumn },
  primaryKey: ['account_id'],
  references: { account_id: 'account' },
};

/** How much of its last credits an account was told to have used, for as long as these are its last. */
export class ToldFillings1801612800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, toldFilling);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, toldFilling.name);
  }
}
