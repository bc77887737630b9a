import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns } from '../schema-changes/change-table.js';

const columns = { keys_max: c.integerColumn, models: c.textColumn };

/** How many keys single accounts may have, and which models they may call. */
export class AccountModels1799539200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'account_limit', columns);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'account_limit', columns);
  }
}
