import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const linkedIdentity: TableSpec = {
  name: 'linked_identity',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    provider: c.wordColumn,
    identity_hash: c.hashColumn,
    label: c.nameColumn,
    created_at_ms: c.instantColumn,
    last_used_at_ms: { ...c.instantColumn, nullable: true },
  },
  primaryKey: ['id'],
  unique: { ux_linked_identity: ['identity_hash'] },
  indices: { ix_linked_identity_account: ['account_id'] },
};

/** Who at other providers may sign in to which account. */
export class LinkedIdentities1797292800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, linkedIdentity);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, linkedIdentity.name);
  }
}
