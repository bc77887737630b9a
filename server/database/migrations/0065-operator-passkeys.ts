import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const operatorPasskey: TableSpec = {
  name: 'operator_passkey',
  columns: {
    id: c.idColumn,
    operator_id: c.idColumn,
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
  unique: { ux_operator_passkey_credential: ['credential_hash'] },
  indices: { ix_operator_passkey_operator: ['operator_id'] },
};

/** By what operators sign in beside password and code. */
export class OperatorPasskeys1800662400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, operatorPasskey);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, operatorPasskey.name);
  }
}
