import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumns, addIndices, dropColumns, dropIndices } from '../change-table.js';
import * as c from '../columns.js';

const accountColumns = { closed_at_ms: c.instantColumn };
const sessionColumns = { user_agent: c.nameColumn };

/** One for each filter of the list of calls by which few calls may be found, in the list's order, so that a page costs the same however many calls there are. */
const callIndices = {
  ix_call_record_model: ['account_id', 'model', 'call_id'],
  ix_call_record_provider: ['account_id', 'provider', 'call_id'],
  ix_call_record_outcome: ['account_id', 'outcome', 'call_id'],
};

/** Accounts can be closed, sessions tell where they began, and calls can be listed by what they have in common. */
export class AccountLife1795651200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'account', accountColumns);
    await addColumns(queryRunner, 'session', sessionColumns);
    await addIndices(queryRunner, 'call_record', callIndices);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndices(queryRunner, 'call_record', callIndices);
    await dropColumns(queryRunner, 'session', sessionColumns);
    await dropColumns(queryRunner, 'account', accountColumns);
  }
}
