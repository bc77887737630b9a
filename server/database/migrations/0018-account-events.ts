import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const accountEvent: TableSpec = {
  name: 'account_event',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    kind: c.wordColumn,
    actor_id: { ...c.idColumn, nullable: true },
    subject_id: { ...c.idColumn, nullable: true },
    detail: { ...c.nameColumn, nullable: true },
    network: { ...c.nameColumn, nullable: true },
    user_agent: { ...c.nameColumn, nullable: true },
    created_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  indices: { ix_account_event_account: ['account_id', 'id'] },
};

/** Who did what to an account, from where and when. */
export class AccountEvents1796601600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, accountEvent);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, accountEvent.name);
  }
}
