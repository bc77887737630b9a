import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const operator: TableSpec = {
  name: 'operator',
  columns: {
    id: c.idColumn,
    email: c.nameColumn,
    email_normalised: c.nameColumn,
    name: c.nameColumn,
    role: c.wordColumn,
    password_hash: c.nameColumn,
    sealed_secret: c.textColumn,
    last_step: c.countColumn,
    created_at_ms: c.instantColumn,
    disabled_at_ms: { ...c.instantColumn, nullable: true },
  },
  primaryKey: ['id'],
  unique: { ux_operator_email: ['email_normalised'] },
};

const operatorSession: TableSpec = {
  name: 'operator_session',
  columns: {
    id: c.idColumn,
    operator_id: c.idColumn,
    token_hash: c.hashColumn,
    created_at_ms: c.instantColumn,
    last_used_at_ms: c.instantColumn,
    proved_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  unique: { ux_operator_session_token: ['token_hash'] },
  indices: { ix_operator_session_operator: ['operator_id'] },
};

const operatorInvitation: TableSpec = {
  name: 'operator_invitation',
  columns: {
    id: c.idColumn,
    token_hash: c.hashColumn,
    role: c.wordColumn,
    operator_id: { ...c.idColumn, nullable: true },
    sealed_secret: { ...c.textColumn, nullable: true },
    expires_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  unique: { ux_operator_invitation_token: ['token_hash'] },
};

const creditRequest: TableSpec = {
  name: 'credit_request',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    direction: c.wordColumn,
    amount_millicredits: c.millicreditsColumn,
    reason: c.nameColumn,
    asked_by: c.idColumn,
    asked_at_ms: c.instantColumn,
    state: c.wordColumn,
    decided_by: { ...c.idColumn, nullable: true },
    decided_at_ms: { ...c.instantColumn, nullable: true },
  },
  primaryKey: ['id'],
  indices: {
    ix_credit_request_state: ['state', 'id'],
    ix_credit_request_asked: ['asked_by', 'asked_at_ms'],
  },
};

/** Operators as people, apart from the accounts of customers, and credits that a second one of them has to agree to. */
export class Operators1797724800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of [operator, operatorSession, operatorInvitation, creditRequest]) {
      await createTable(queryRunner, table);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { name } of [creditRequest, operatorInvitation, operatorSession, operator]) {
      await dropTable(queryRunner, name);
    }
  }
}
