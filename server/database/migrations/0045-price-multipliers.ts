import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns } from '../schema-changes/change-table.js';

const multiplier = { price_multiplier: c.integerColumn };
const atListPrice =
  'charged_millicredits + absorbed_millicredits = (prompt_tokens + completion_tokens) * millicredits_per_token';

/**
 * What of the list price a call pays, in per mille. The rule that a receipt is tokens times price goes from the table to the ledger's
 * check: to put another one there, MySQL would copy every receipt while calls wait. Decision record 0044.
 */
export class PriceMultipliers1798934400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'ledger_hold', multiplier);
    await addColumns(queryRunner, 'call_record', multiplier);
    await queryRunner.query('ALTER TABLE call_record DROP CONSTRAINT ck_call_record_price');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE call_record ADD CONSTRAINT ck_call_record_price CHECK (${atListPrice})`);
    await dropColumns(queryRunner, 'call_record', multiplier);
    await dropColumns(queryRunner, 'ledger_hold', multiplier);
  }
}
