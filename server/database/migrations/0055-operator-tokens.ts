import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const operatorToken: TableSpec = {
  name: 'operator_token',
  columns: {
    id: c.idColumn,
    operator_id: c.idColumn,
    name: c.nameColumn,
    role: c.wordColumn,
    token_hash: c.hashColumn,
    ending: c.wordColumn,
    created_at_ms: c.instantColumn,
    expires_at_ms: c.instantColumn,
    last_used_at_ms: { ...c.instantColumn, nullable: true },
  },
  primaryKey: ['id'],
  unique: { ux_operator_token_hash: ['token_hash'] },
  indices: { ix_operator_token_operator: ['operator_id'] },
};

/** By what scripts of operators are known. */
export class OperatorTokens1799798400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, operatorToken);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, operatorToken.name);
  }
}
