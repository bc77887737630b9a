import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const instanceReport: TableSpec = {
  name: 'instance_report',
  columns: {
    id: c.idColumn,
    reported_at_ms: c.instantColumn,
    report: c.textColumn,
  },
  primaryKey: ['id'],
  indices: { ix_instance_report_time: ['reported_at_ms'] },
};

/** What each server process says of itself. */
export class InstanceReports1799884800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, instanceReport);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, instanceReport.name);
  }
}
