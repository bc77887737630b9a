import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns, dropIndex } from '../schema-changes/change-table.js';

const memberColumns = { monthly_budget_millicredits: c.millicreditsColumn };
const keyColumns = { maker_budget_millicredits: c.millicreditsColumn };

/**
 * What a member's keys may spend together in a month. It stands on each of these keys as well, where a hold reads it. The index is for the sum
 * over a month of what some keys of an account have used.
 */
export class MemberBudgets1797984000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'membership', memberColumns);
    await addColumns(queryRunner, 'api_key', keyColumns);
    await queryRunner.query('CREATE INDEX ix_usage_hour_key ON usage_hour (account_id, key_id, hour_ms)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, 'usage_hour', 'ix_usage_hour_key');
    await dropColumns(queryRunner, 'api_key', keyColumns);
    await dropColumns(queryRunner, 'membership', memberColumns);
  }
}
