import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const passkey: TableSpec = {
  name: 'passkey',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    name: c.nameColumn,
    credential_id: c.textColumn,
    credential_hash: c.hashColumn,
    public_key: c.textColumn,
    counter: c.countColumn,
    transports: c.nameColumn,
    created_at_ms: c.instantColumn,
    last_used_at_ms: { ...c.instantColumn, nullable: true },
  },
  primaryKey: ['id'],
  unique: { ux_passkey_credential: ['credential_hash'] },
  indices: { ix_passkey_account: ['account_id'] },
};

const wayBack: TableSpec = {
  name: 'factor_recovery',
  columns: {
    account_id: c.idColumn,
    link_id: c.idColumn,
    token_hash: { ...c.hashColumn, nullable: true },
    link_ends_at_ms: { ...c.instantColumn, nullable: true },
    due_at_ms: { ...c.instantColumn, nullable: true },
  },
  primaryKey: ['account_id'],
  unique: { ux_factor_recovery_link: ['link_id'], ux_factor_recovery_token: ['token_hash'] },
};

/** Passkeys, several for an account, and the way back of whoever has lost all factors. */
export class Passkeys1796860800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, passkey);
    await createTable(queryRunner, wayBack);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, wayBack.name);
    await dropTable(queryRunner, passkey.name);
  }
}
