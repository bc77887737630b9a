import type { MigrationInterface, QueryRunner } from 'typeorm';
import { TableIndex } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns, dropIndex, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const accountColumns = { email_verified_at_ms: c.instantColumn };
const noticeColumns = { link_id: c.idColumn };
const alertColumns = { told_threshold_millicredits: c.millicreditsColumn };
const answerColumns = { lease_until_ms: c.instantColumn };
const noticesOfAccount = new TableIndex({ name: 'ix_notice_account', columnNames: ['account_id', 'created_at_ms'] });

const emailVerification: TableSpec = {
  name: 'email_verification',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    address_hash: c.hashColumn,
    token_hash: { ...c.hashColumn, nullable: true },
    created_at_ms: c.instantColumn,
    expires_at_ms: { ...c.instantColumn, nullable: true },
  },
  primaryKey: ['id'],
  unique: { ux_email_verification_token: ['token_hash'] },
  indices: {
    ix_email_verification_account: ['account_id', 'created_at_ms'],
    ix_email_verification_created: ['created_at_ms'],
  },
  references: { account_id: 'account' },
};

const knownDevice: TableSpec = {
  name: 'known_device',
  columns: {
    account_id: c.idColumn,
    token_hash: c.hashColumn,
    created_at_ms: c.instantColumn,
    last_used_at_ms: c.instantColumn,
  },
  primaryKey: ['account_id', 'token_hash'],
  references: { account_id: 'account' },
};

/**
 * What keeps strangers from an account: addresses are verified before anything is mailed to them, devices that have signed in
 * keep their way in, and the claim of an `Idempotency-Key` ends with the lease of its call.
 */
export class Strangers1795996800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'account', accountColumns);
    await addColumns(queryRunner, 'notice', noticeColumns);
    await addColumns(queryRunner, 'balance_alert', alertColumns);
    await addColumns(queryRunner, 'idempotent_answer', answerColumns);
    await queryRunner.createIndex('notice', noticesOfAccount);
    await createTable(queryRunner, emailVerification);
    await createTable(queryRunner, knownDevice);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, knownDevice.name);
    await dropTable(queryRunner, emailVerification.name);
    await dropIndex(queryRunner, 'notice', 'ix_notice_account');
    await dropColumns(queryRunner, 'idempotent_answer', answerColumns);
    await dropColumns(queryRunner, 'balance_alert', alertColumns);
    await dropColumns(queryRunner, 'notice', noticeColumns);
    await dropColumns(queryRunner, 'account', accountColumns);
  }
}
