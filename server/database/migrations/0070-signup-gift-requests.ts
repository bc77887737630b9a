import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const signupGiftRequest: TableSpec = {
  name: 'signup_gift_request',
  columns: {
    account_id: c.idColumn,
    mailbox_hash: c.hashColumn,
    network: c.nameColumn,
    millicredits: c.millicreditsColumn,
    asked_at_ms: c.instantColumn,
  },
  primaryKey: ['account_id'],
  references: { account_id: 'account' },
};

/** Gifts for signing up that are neither given nor refused yet. */
export class SignupGiftRequests1801094400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, signupGiftRequest);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, signupGiftRequest.name);
  }
}
