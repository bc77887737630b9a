import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropIndex, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const ledgerHour: TableSpec = {
  name: 'ledger_hour',
  columns: {
    hour_ms: c.instantColumn,
    sales: c.millicreditsColumn,
    gifts: c.millicreditsColumn,
    grants: c.millicreditsColumn,
    refunds: c.millicreditsColumn,
    refunds_returned: c.millicreditsColumn,
    disputes: c.millicreditsColumn,
    disputes_returned: c.millicreditsColumn,
    added: c.millicreditsColumn,
    taken_back: c.millicreditsColumn,
    charged: c.millicreditsColumn,
    absorbed: c.millicreditsColumn,
    liability_after: c.millicreditsColumn,
  },
  primaryKey: ['hour_ms'],
};

const indices = [
  ['ix_ledger_transfer_time', 'ledger_transfer', 'at_ms'],
  ['ix_usage_hour_time', 'usage_hour', 'hour_ms'],
] as const;

/** What operators read of the money of a time: the journal summed by hour, and journal and use by the time they were written for. */
export class JournalHours1798070400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, ledgerHour);
    for (const [name, table, column] of indices)
      await queryRunner.query(`CREATE INDEX ${name} ON ${table} (${column})`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [name, table] of indices.toReversed()) await dropIndex(queryRunner, table, name);
    await dropTable(queryRunner, ledgerHour.name);
  }
}
