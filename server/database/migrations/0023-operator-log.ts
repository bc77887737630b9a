import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const operatorEvent: TableSpec = {
  name: 'operator_event',
  columns: {
    id: c.idColumn,
    at_ms: c.instantColumn,
    actor: c.nameColumn,
    action: c.wordColumn,
    account_id: c.idColumn,
    subject: { ...c.idColumn, nullable: true },
    amount_millicredits: { ...c.millicreditsColumn, nullable: true },
    reason: c.nameColumn,
  },
  primaryKey: ['id'],
  indices: { ix_operator_event_account: ['account_id', 'id'] },
};

/** What operators have changed by hand: who, what, on whose account, why. */
export class OperatorLog1797033600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, operatorEvent);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, operatorEvent.name);
  }
}
