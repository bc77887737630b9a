import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns } from '../schema-changes/change-table.js';

const parts = { cached_tokens: c.countColumn, reasoning_tokens: c.countColumn };
const partsOfHours = { told_calls: c.countColumn, ...parts };

/** How many tokens of an hour were read from a cache, how many were reasoned, and of how many of its calls that is known. */
export class SumsOfTokenParts1800316800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'usage_hour', partsOfHours);
    await addColumns(queryRunner, 'usage_late', partsOfHours);
    await addColumns(queryRunner, 'usage_part', parts);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'usage_part', parts);
    await dropColumns(queryRunner, 'usage_late', partsOfHours);
    await dropColumns(queryRunner, 'usage_hour', partsOfHours);
  }
}
