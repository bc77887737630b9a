import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropIndex, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const signUpBlock: TableSpec = {
  name: 'sign_up_block',
  columns: {
    kind: c.wordColumn,
    value: c.nameColumn,
    reason: c.nameColumn,
    created_by: c.nameColumn,
    created_at_ms: c.instantColumn,
  },
  primaryKey: ['kind', 'value'],
};

/** Networks and mail domains that nobody signs up from, and what happened to accounts by its kind, for who looks for abuse. */
export class SignUpBlocks1798502400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, signUpBlock);
    await queryRunner.query('CREATE INDEX ix_account_event_kind ON account_event (kind, id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, 'account_event', 'ix_account_event_kind');
    await dropTable(queryRunner, signUpBlock.name);
  }
}
