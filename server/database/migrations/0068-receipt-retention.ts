import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const receiptRetention: TableSpec = {
  name: 'receipt_retention',
  columns: {
    id: c.idColumn,
    days: { ...c.integerColumn, nullable: true },
    in_force_at_ms: c.instantColumn,
    reason: c.nameColumn,
    created_by: c.nameColumn,
    created_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
};

/** For how long receipts are kept, as operators choose while servers run. */
export class ReceiptRetention1800921600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, receiptRetention);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, receiptRetention.name);
  }
}
