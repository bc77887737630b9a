import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const refundOrder: TableSpec = {
  name: 'refund_order',
  columns: {
    id: c.idColumn,
    purchase_id: c.idColumn,
    account_id: c.idColumn,
    cents: c.integerColumn,
    amount_millicredits: c.millicreditsColumn,
    reason: c.nameColumn,
    asked_by: c.idColumn,
    asked_at_ms: c.instantColumn,
    state: c.wordColumn,
    decided_by: { ...c.idColumn, nullable: true },
    decided_at_ms: { ...c.instantColumn, nullable: true },
    gateway_refund_id: { ...c.nameColumn, nullable: true },
    fault: { ...c.nameColumn, nullable: true },
  },
  primaryKey: ['id'],
  indices: {
    ix_refund_order_state: ['state', 'id'],
    ix_refund_order_purchase: ['purchase_id', 'state'],
    ix_refund_order_asked: ['asked_by', 'asked_at_ms'],
  },
  references: { purchase_id: 'purchase' },
  checks: { ck_refund_order_amounts: 'cents > 0 AND amount_millicredits >= 0' },
};

const simulatedRefund: TableSpec = {
  name: 'simulated_refund',
  columns: { id: c.idColumn, session_id: c.nameColumn, cents: c.integerColumn },
  primaryKey: ['id'],
  indices: { ix_simulated_refund_session: ['session_id'] },
  checks: { ck_simulated_refund_cents: 'cents > 0' },
};

/** Refunds that operators begin here, and those of the simulated gateway, which has no page of its own for them. */
export class RefundOrders1798156800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of [refundOrder, simulatedRefund]) await createTable(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of [simulatedRefund, refundOrder]) await dropTable(queryRunner, name);
  }
}
