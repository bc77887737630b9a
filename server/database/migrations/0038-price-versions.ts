import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const priceVersion: TableSpec = {
  name: 'price_version',
  columns: {
    number: c.integerColumn,
    document: c.textColumn,
    effective_at_ms: c.instantColumn,
    created_at_ms: c.instantColumn,
    created_by: c.nameColumn,
    withdrawn_at_ms: { ...c.instantColumn, nullable: true },
  },
  primaryKey: ['number'],
  indices: { ix_price_version_effective: ['effective_at_ms', 'number'] },
};

/** Models and prices that operators set while servers run, each version with the time from which it is in force. */
export class PriceVersions1798329600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, priceVersion);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, priceVersion.name);
  }
}
