import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns } from '../schema-changes/change-table.js';

const partsOfTokens = { cached_tokens: c.integerColumn, reasoning_tokens: c.integerColumn };

/** How many of a call's tokens were read from the provider's cache, and how many were reasoned. */
export class PartsOfTokens1799107200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'call_record', partsOfTokens);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'call_record', partsOfTokens);
  }
}
