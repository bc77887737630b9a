import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const webhookEndpoint: TableSpec = {
  name: 'webhook_endpoint',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    name: c.nameColumn,
    url: c.urlColumn,
    secret: c.nameColumn,
    events: c.nameColumn,
    is_on: c.booleanColumn,
    created_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  indices: { ix_webhook_endpoint_account: ['account_id', 'id'] },
};

const webhookCallLook: TableSpec = {
  name: 'webhook_call_look',
  columns: {
    endpoint_id: c.idColumn,
    account_id: c.idColumn,
    since_ms: c.instantColumn,
    due_at_ms: c.instantColumn,
    seen: { ...c.textColumn, nullable: true },
  },
  primaryKey: ['endpoint_id'],
  indices: { ix_webhook_call_look_due: ['due_at_ms'] },
};

const ofEndpoint = { endpoint_id: c.idColumn };

/** Where accounts have their events posted, which calls each endpoint was told of, and which message is for which. */
export class WebhookEndpoints1800230400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, webhookEndpoint);
    await createTable(queryRunner, webhookCallLook);
    await addColumns(queryRunner, 'notice', ofEndpoint);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'notice', ofEndpoint);
    await dropTable(queryRunner, webhookCallLook.name);
    await dropTable(queryRunner, webhookEndpoint.name);
  }
}
