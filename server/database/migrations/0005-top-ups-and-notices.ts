import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const autoTopUp: TableSpec = {
  name: 'auto_top_up',
  columns: {
    account_id: c.idColumn,
    is_on: c.booleanColumn,
    threshold_millicredits: c.millicreditsColumn,
    amount_cents: c.integerColumn,
    monthly_cap_cents: c.integerColumn,
    consent_at_ms: { ...c.instantColumn, nullable: true },
    consent_version: { ...c.wordColumn, nullable: true },
    gateway: { ...c.wordColumn, nullable: true },
    card_id: { ...c.nameColumn, nullable: true },
    card_brand: { ...c.wordColumn, nullable: true },
    card_last4: { ...c.wordColumn, nullable: true },
    card_expiry_month: { ...c.integerColumn, nullable: true },
    card_expiry_year: { ...c.integerColumn, nullable: true },
    card_saved_at_ms: { ...c.instantColumn, nullable: true },
    failure: { ...c.wordColumn, nullable: true },
    failures_in_a_row: c.integerColumn,
    paused_until_ms: { ...c.instantColumn, nullable: true },
    revision: c.countColumn,
  },
  primaryKey: ['account_id'],
  indices: { ix_auto_top_up_on: ['is_on', 'account_id'] },
  references: { account_id: 'account' },
  checks: {
    ck_auto_top_up_amounts:
      'threshold_millicredits > 0 AND amount_cents > 0 AND monthly_cap_cents >= amount_cents AND failures_in_a_row >= 0',
  },
};

const autoTopUpCharge: TableSpec = {
  name: 'auto_top_up_charge',
  columns: {
    purchase_id: c.idColumn,
    account_id: c.idColumn,
    open_for: { ...c.idColumn, nullable: true },
    month_utc: c.wordColumn,
    amount_cents: c.integerColumn,
    card_id: c.nameColumn,
    state: c.wordColumn,
  },
  primaryKey: ['purchase_id'],
  // One that is under way per account, by the database's own word.
  unique: { ux_auto_top_up_charge_open: ['open_for'] },
  indices: { ix_auto_top_up_charge_month: ['account_id', 'month_utc'] },
  references: { purchase_id: 'purchase' },
  checks: { ck_auto_top_up_charge_amount: 'amount_cents > 0' },
};

const balanceAlert: TableSpec = {
  name: 'balance_alert',
  columns: {
    account_id: c.idColumn,
    threshold_millicredits: { ...c.millicreditsColumn, nullable: true },
    is_by_email: c.booleanColumn,
    webhook_url: { ...c.urlColumn, nullable: true },
    webhook_secret: { ...c.nameColumn, nullable: true },
    is_armed: c.booleanColumn,
  },
  primaryKey: ['account_id'],
  references: { account_id: 'account' },
};

const notice: TableSpec = {
  name: 'notice',
  columns: {
    id: c.idColumn,
    subject_key: c.nameColumn,
    account_id: { ...c.idColumn, nullable: true },
    channel: c.wordColumn,
    recipient: c.urlColumn,
    title: c.nameColumn,
    body: c.textColumn,
    state: c.wordColumn,
    attempts: c.integerColumn,
    due_at_ms: c.instantColumn,
    created_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  unique: { ux_notice_subject_key: ['subject_key'] },
  indices: { ix_notice_due: ['state', 'due_at_ms'] },
};

const giftCode: TableSpec = {
  name: 'gift_code',
  columns: {
    id: c.idColumn,
    code_hash: c.hashColumn,
    hint: c.wordColumn,
    credits_millicredits: c.millicreditsColumn,
    expires_at_ms: { ...c.instantColumn, nullable: true },
    revoked_at_ms: { ...c.instantColumn, nullable: true },
    claimed_by: { ...c.idColumn, nullable: true },
    claimed_at_ms: { ...c.instantColumn, nullable: true },
    created_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  unique: { ux_gift_code_hash: ['code_hash'] },
  indices: { ix_gift_code_claimed_by: ['claimed_by'] },
  checks: { ck_gift_code_credits: 'credits_millicredits > 0' },
};

const signupGift: TableSpec = {
  name: 'signup_gift',
  columns: { account_id: c.idColumn, mailbox_hash: c.hashColumn, network: c.nameColumn, given_at_ms: c.instantColumn },
  primaryKey: ['account_id'],
  unique: { ux_signup_gift_mailbox: ['mailbox_hash'] },
  references: { account_id: 'account' },
};

const signupGiftCount: TableSpec = {
  name: 'signup_gift_count',
  columns: { scope: c.nameColumn, given: c.integerColumn },
  primaryKey: ['scope'],
};

const tables = [autoTopUp, autoTopUpCharge, balanceAlert, notice, giftCode, signupGift, signupGiftCount];

/*
 * `ADD COLUMN` and `DROP COLUMN` read alike on both databases; TypeORM's own way would copy the whole table on SQLite, for
 * the ledger's wallets a poor idea.
 */
const newColumns = [
  'ledger_account ADD COLUMN frozen_for varchar(24)',
  'purchase ADD COLUMN receipt_url varchar(2048)',
  'purchase ADD COLUMN invoice_url varchar(2048)',
];

/** Why wallets are frozen, receipts, automatic top-ups, alerts with their outbox, and gifts. */
export class TopUpsAndNotices1795478400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables) await createTable(queryRunner, table);
    for (const column of newColumns) await queryRunner.query(`ALTER TABLE ${column}`);
    await queryRunner.query(
      `UPDATE ledger_account SET frozen_for = CASE WHEN EXISTS (SELECT 1 FROM purchase_reversal r
         WHERE r.account_id = ledger_account.id AND r.dispute_state <> 'none') THEN 'dispute' ELSE 'audit' END
       WHERE state = 'frozen'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const column of newColumns.toReversed()) {
      await queryRunner.query(`ALTER TABLE ${column.replace(/ADD COLUMN (\w+) .*/, 'DROP COLUMN $1')}`);
    }
    for (const table of tables.toReversed()) await dropTable(queryRunner, table.name);
  }
}
