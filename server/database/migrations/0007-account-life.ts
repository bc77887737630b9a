import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns } from '../schema-changes/change-table.js';

const accountColumns = { closed_at_ms: c.instantColumn };
const sessionColumns = { user_agent: c.nameColumn };

/** Accounts can be closed, and sessions tell where they began. */
export class AccountLife1795651200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'account', accountColumns);
    await addColumns(queryRunner, 'session', sessionColumns);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'session', sessionColumns);
    await dropColumns(queryRunner, 'account', accountColumns);
  }
}
