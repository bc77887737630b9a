import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const sums = {
  calls: c.countColumn,
  failed_calls: c.countColumn,
  prompt_tokens: c.countColumn,
  completion_tokens: c.countColumn,
  charged_millicredits: c.millicreditsColumn,
};

const usageSet: TableSpec = {
  name: 'usage_set',
  columns: {
    account_id: c.idColumn,
    kind: c.wordColumn,
    span_ms: c.integerColumn,
    start_ms: c.instantColumn,
    id: c.idColumn,
    ...sums,
  },
  primaryKey: ['account_id', 'kind', 'span_ms', 'start_ms'],
  indices: { ix_usage_set_span: ['span_ms', 'start_ms'] },
};

const usagePart: TableSpec = {
  name: 'usage_part',
  columns: {
    set_id: c.idColumn,
    number: c.integerColumn,
    key_id: c.idColumn,
    model: c.nameColumn,
    provider: c.nameColumn,
    mark: c.nameColumn,
    outcome: c.wordColumn,
    ...sums,
  },
  primaryKey: ['set_id', 'number'],
};

const usageMark: TableSpec = {
  name: 'usage_mark',
  columns: { name: c.wordColumn, until_ms: c.instantColumn },
  primaryKey: ['name'],
};

/** Hours and days of busy accounts summed by tag, end user and outcome, so that Explore need not read their receipts. */
export class UsageSets1798675200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of [usageSet, usagePart, usageMark]) await createTable(queryRunner, table);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of [usageMark, usagePart, usageSet]) await dropTable(queryRunner, table.name);
  }
}
