import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const accountRiskMark: TableSpec = {
  name: 'account_risk_mark',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    kind: c.wordColumn,
    living_kind: { ...c.wordColumn, nullable: true },
    note: c.textColumn,
    ends_at_ms: { ...c.instantColumn, nullable: true },
    set_by: c.nameColumn,
    set_at_ms: c.instantColumn,
    cleared_by: { ...c.nameColumn, nullable: true },
    cleared_at_ms: { ...c.instantColumn, nullable: true },
    cleared_reason: { ...c.nameColumn, nullable: true },
  },
  primaryKey: ['id'],
  // No database takes two rows without a kind for equal, so cleared marks are as many as there were.
  unique: { ux_account_risk_mark_living: ['account_id', 'living_kind'] },
  indices: {
    ix_account_risk_mark_account: ['account_id', 'id'],
    ix_account_risk_mark_kind: ['living_kind', 'id'],
  },
};

/** Marks that operators set on accounts. */
export class AccountRiskMarks1799712000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, accountRiskMark);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, accountRiskMark.name);
  }
}
