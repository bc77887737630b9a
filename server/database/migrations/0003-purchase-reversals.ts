import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const purchaseReversal: TableSpec = {
  name: 'purchase_reversal',
  columns: {
    purchase_id: c.idColumn,
    account_id: c.idColumn,
    revision: c.countColumn,
    refunded_cents: c.integerColumn,
    refunded_millicredits: c.millicreditsColumn,
    disputed_cents: c.integerColumn,
    disputed_millicredits: c.millicreditsColumn,
    dispute_state: c.wordColumn,
  },
  primaryKey: ['purchase_id'],
  indices: { ix_purchase_reversal_dispute: ['account_id', 'dispute_state'] },
  references: { purchase_id: 'purchase' },
  checks: {
    ck_purchase_reversal_amounts:
      'revision >= 0 AND refunded_cents >= 0 AND refunded_millicredits >= 0 AND disputed_cents >= 0 AND disputed_millicredits >= 0',
  },
};

const stripeCustomer: TableSpec = {
  name: 'stripe_customer',
  columns: { account_id: c.idColumn, is_live: c.booleanColumn, customer_id: c.nameColumn },
  primaryKey: ['account_id', 'is_live'],
  unique: { ux_stripe_customer: ['customer_id'] },
  references: { account_id: 'account' },
};

const stripeEvent: TableSpec = {
  name: 'stripe_event',
  columns: {
    id: c.nameColumn,
    type: c.nameColumn,
    state: c.wordColumn,
    reason: { ...c.nameColumn, nullable: true },
    purchase_id: { ...c.idColumn, nullable: true },
    created_at_ms: c.instantColumn,
    received_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  indices: { ix_stripe_event_state: ['state', 'received_at_ms'] },
};

const tables = [purchaseReversal, stripeCustomer, stripeEvent];

/** What has become of purchases after they were paid, and what is kept about Stripe. */
export class PurchaseReversals1795305600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables) await createTable(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables.toReversed()) await dropTable(queryRunner, table.name);
  }
}
