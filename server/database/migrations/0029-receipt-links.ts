import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const receiptLink: TableSpec = {
  name: 'receipt_link',
  columns: {
    token_hash: c.hashColumn,
    account_id: c.idColumn,
    call_id: c.idColumn,
    expires_at_ms: c.instantColumn,
  },
  primaryKey: ['token_hash'],
  indices: { ix_receipt_link_account: ['account_id', 'expires_at_ms'] },
};

/** Links by which accounts show the receipts of calls to others. */
export class ReceiptLinks1797552000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, receiptLink);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, receiptLink.name);
  }
}
