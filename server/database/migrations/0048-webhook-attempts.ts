import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns } from '../schema-changes/change-table.js';

const lastAttempt = { last_fault: c.nameColumn, last_attempt_ms: c.instantColumn };

/** When a webhook was last tried, and why it was not taken. */
export class WebhookAttempts1799193600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'notice', lastAttempt);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'notice', lastAttempt);
  }
}
