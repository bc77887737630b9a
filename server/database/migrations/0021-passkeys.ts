import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropTable } from '../change-table.js';
import * as c from '../columns.js';
import { createTable, type TableSpec } from '../create-table.js';

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

/** Passkeys, several for an account. */
export class Passkeys1796860800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, passkey);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, passkey.name);
  }
}
