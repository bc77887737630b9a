import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const priceGroup: TableSpec = {
  name: 'price_group',
  columns: { id: c.idColumn, name: c.nameColumn, multiplier: c.integerColumn, created_at_ms: c.instantColumn },
  primaryKey: ['id'],
  unique: { ux_price_group_name: ['name'] },
  checks: { ck_price_group_multiplier: 'multiplier >= 1 AND multiplier <= 100000' },
};

const pricedAccount: TableSpec = {
  name: 'priced_account',
  columns: { account_id: c.idColumn, group_id: c.idColumn, since_ms: c.instantColumn },
  primaryKey: ['account_id'],
  indices: { ix_priced_account_group: ['group_id', 'account_id'] },
};

/** Groups of accounts that pay a part, or a multiple, of the list price, and who is in one. */
export class PriceGroups1799020800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, priceGroup);
    await createTable(queryRunner, pricedAccount);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, pricedAccount.name);
    await dropTable(queryRunner, priceGroup.name);
  }
}
