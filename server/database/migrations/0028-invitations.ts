import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const invitation: TableSpec = {
  name: 'invitation',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    email: c.nameColumn,
    email_normalised: c.nameColumn,
    role: c.wordColumn,
    invited_by: c.idColumn,
    token_hash: { ...c.hashColumn, nullable: true },
    created_at_ms: c.instantColumn,
    expires_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  unique: { ux_invitation_token: ['token_hash'] },
  indices: { ix_invitation_account: ['account_id'], ix_invitation_email: ['email_normalised'] },
};

/** Who was asked by mail to become a member of an account, and has not answered yet. */
export class Invitations1797465600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, invitation);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, invitation.name);
  }
}
