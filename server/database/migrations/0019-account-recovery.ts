import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const accountLink: TableSpec = {
  name: 'account_link',
  columns: {
    id: c.idColumn,
    account_id: { ...c.idColumn, nullable: true },
    purpose: c.wordColumn,
    email: c.nameColumn,
    email_normalised: c.nameColumn,
    token_hash: { ...c.hashColumn, nullable: true },
    created_at_ms: c.instantColumn,
    expires_at_ms: { ...c.instantColumn, nullable: true },
  },
  primaryKey: ['id'],
  unique: { ux_account_link_token: ['token_hash'] },
  indices: {
    ix_account_link_account: ['account_id', 'purpose'],
    ix_account_link_email: ['email_normalised', 'purpose'],
    ix_account_link_created: ['created_at_ms'],
  },
  references: { account_id: 'account' },
};

/** The links that are mailed to whoever forgot a password, changes the address of an account, or takes that back. */
export class AccountRecovery1796688000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, accountLink);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, accountLink.name);
  }
}
