import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const usagePack: TableSpec = {
  name: 'usage_pack',
  columns: { set_id: c.idColumn, number: c.integerColumn, parts: c.textColumn },
  primaryKey: ['set_id', 'number'],
};

/** The parts of a set of use in few rows instead of thousands, so that a report of months reads dozens of rows. */
export class PackedUsageSets1801526400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, usagePack);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, usagePack.name);
  }
}
