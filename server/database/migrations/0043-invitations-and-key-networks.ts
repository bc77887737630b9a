import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const signUpInvitation: TableSpec = {
  name: 'sign_up_invitation',
  columns: {
    id: c.idColumn,
    email: c.nameColumn,
    email_normalised: c.nameColumn,
    token_hash: { ...c.hashColumn, nullable: true },
    created_by: c.nameColumn,
    created_at_ms: c.instantColumn,
    expires_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  unique: { ux_sign_up_invitation_token: ['token_hash'] },
  indices: { ix_sign_up_invitation_email: ['email_normalised'] },
};

const keyNetwork: TableSpec = {
  name: 'key_network',
  columns: {
    day: c.integerColumn,
    key_id: c.idColumn,
    network: c.idColumn,
    number: c.integerColumn,
    account_id: c.idColumn,
  },
  primaryKey: ['day', 'key_id', 'network'],
  indices: { ix_key_network_number: ['day', 'number'], ix_key_network_account: ['account_id'] },
};

/** Whom operators have asked to make an account, where nobody else may; and from how many networks a key was used in a day. */
export class InvitationsAndKeyNetworks1798761600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of [signUpInvitation, keyNetwork]) await createTable(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [keyNetwork, signUpInvitation]) await dropTable(queryRunner, table.name);
  }
}
