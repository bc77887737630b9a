import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const purchaseComparison: TableSpec = {
  name: 'purchase_comparison',
  columns: { gateway: c.wordColumn, compared_to_ms: c.instantColumn },
  primaryKey: ['gateway'],
};

/** Up to where purchases were compared with what a payment service has. */
export class ComparedPurchases1801699200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, purchaseComparison);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, purchaseComparison.name);
  }
}
