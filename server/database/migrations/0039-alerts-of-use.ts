import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const alertColumns = { is_use_told: c.booleanColumn };

const noticeRead: TableSpec = {
  name: 'notice_read',
  columns: {
    account_id: c.idColumn,
    person_id: c.idColumn,
    read_until_ms: c.instantColumn,
  },
  primaryKey: ['account_id', 'person_id'],
};

/** Whether budgets and spikes are told by mail and webhook, too, and up to where each person has read what an account was told. */
export class AlertsOfUse1798416000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'balance_alert', alertColumns);
    await createTable(queryRunner, noticeRead);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, noticeRead.name);
    await dropColumns(queryRunner, 'balance_alert', alertColumns);
  }
}
