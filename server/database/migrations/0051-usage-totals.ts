import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const tokens = { prompt_tokens: c.countColumn, completion_tokens: c.countColumn };
const sums = {
  calls: c.countColumn,
  ...tokens,
  charged_millicredits: c.millicreditsColumn,
  absorbed_millicredits: c.millicreditsColumn,
};

const usageLate: TableSpec = {
  name: 'usage_late',
  columns: {
    account_id: c.idColumn,
    hour_ms: c.instantColumn,
    key_id: c.idColumn,
    model: c.nameColumn,
    provider: c.nameColumn,
    failed_calls: c.countColumn,
    ...sums,
  },
  primaryKey: ['account_id', 'hour_ms', 'key_id', 'model', 'provider'],
  indices: { ix_usage_late_time: ['hour_ms'] },
};

const usageTotal: TableSpec = {
  name: 'usage_total',
  columns: { hour_ms: c.instantColumn, model: c.nameColumn, provider: c.nameColumn, ...sums },
  primaryKey: ['hour_ms', 'model', 'provider'],
};

const accountMonth: TableSpec = {
  name: 'account_month',
  columns: { month_ms: c.instantColumn, account_id: c.idColumn, ...sums },
  primaryKey: ['month_ms', 'account_id'],
  indices: { ix_account_month_charged: ['month_ms', 'charged_millicredits', 'account_id'] },
};

const accountPart: TableSpec = {
  name: 'account_part',
  columns: {
    month_ms: c.instantColumn,
    account_id: c.idColumn,
    model: c.nameColumn,
    provider: c.nameColumn,
    price_version: c.integerColumn,
    calls: c.countColumn,
    ...tokens,
  },
  primaryKey: ['month_ms', 'account_id', 'model', 'provider', 'price_version'],
};

const totalsMark: TableSpec = {
  name: 'totals_mark',
  columns: { name: c.wordColumn, hour_ms: c.instantColumn, account_id: c.idColumn },
  primaryKey: ['name'],
};

const tables = [usageLate, usageTotal, accountMonth, accountPart, totalsMark];

/** Use of all accounts by the hour, and of each by the month, summed once for operators' reports. */
export class UsageTotals1799452800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables) await createTable(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables.toReversed()) await dropTable(queryRunner, table.name);
  }
}
