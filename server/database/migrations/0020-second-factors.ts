import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const sessionColumns = { proved_at_ms: c.instantColumn, proved_by: c.wordColumn };

const authenticatorApp: TableSpec = {
  name: 'authenticator_app',
  columns: {
    account_id: c.idColumn,
    sealed_secret: c.textColumn,
    created_at_ms: c.instantColumn,
    confirmed_at_ms: { ...c.instantColumn, nullable: true },
    last_step: c.countColumn,
  },
  primaryKey: ['account_id'],
};

const recoveryCode: TableSpec = {
  name: 'recovery_code',
  columns: {
    account_id: c.idColumn,
    code_hash: c.hashColumn,
    used_at_ms: { ...c.instantColumn, nullable: true },
  },
  primaryKey: ['account_id', 'code_hash'],
};

const pendingProof: TableSpec = {
  name: 'pending_proof',
  columns: {
    holder_hash: c.hashColumn,
    account_id: { ...c.idColumn, nullable: true },
    payload: c.textColumn,
    expires_at_ms: c.instantColumn,
  },
  primaryKey: ['holder_hash'],
  indices: { ix_pending_proof_expires: ['expires_at_ms'] },
};

/** Authenticator apps with their recovery codes, proofs that wait for their second half, and how fresh a session's proof is. */
export class SecondFactors1796774400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'session', sessionColumns);
    await createTable(queryRunner, authenticatorApp);
    await createTable(queryRunner, recoveryCode);
    await createTable(queryRunner, pendingProof);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, pendingProof.name);
    await dropTable(queryRunner, recoveryCode.name);
    await dropTable(queryRunner, authenticatorApp.name);
    await dropColumns(queryRunner, 'session', sessionColumns);
  }
}
