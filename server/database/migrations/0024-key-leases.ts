import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns } from '../schema-changes/change-table.js';

const columnsOfLeases = { key_id: c.idColumn, spend_period: c.wordColumn };

/** Leases of which the calls of one key with a spend limit are paid, and the period of that limit in which they count. */
export class KeyLeases1797120000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'wallet_lease', columnsOfLeases);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'wallet_lease', columnsOfLeases);
  }
}
