import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const customerView: TableSpec = {
  name: 'customer_view',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    operator_id: c.idColumn,
    operator_session_id: c.idColumn,
    is_told: c.booleanColumn,
    ends_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  indices: { ix_customer_view_operator: ['operator_id'], ix_customer_view_end: ['ends_at_ms'] },
};

/** Operators who look at an account as its customer sees it. */
export class CustomerViews1799625600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, customerView);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, customerView.name);
  }
}
