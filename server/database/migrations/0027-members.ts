import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const sessionColumns = { acting_account_id: c.idColumn };
const keyColumns = { made_by: c.idColumn };
const eventColumns = { person_id: c.idColumn, role: c.wordColumn };

const membership: TableSpec = {
  name: 'membership',
  columns: {
    account_id: c.idColumn,
    person_id: c.idColumn,
    role: c.wordColumn,
    created_at_ms: c.instantColumn,
  },
  primaryKey: ['account_id', 'person_id'],
  indices: { ix_membership_person: ['person_id'] },
  // Without foreign keys: accounts are never deleted, and a key to one would hold its row while a member joins.
  checks: { ck_membership_role: "role IN ('owner', 'admin', 'developer', 'billing', 'viewer')" },
};

/**
 * Who is a member of an account beside the person who signed up for it, for which account a session acts, and who made a key and
 * caused an event. The release before reads none of it: its sessions act for the account that they belong to.
 */
export class Members1797379200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, membership);
    await addColumns(queryRunner, 'session', sessionColumns);
    await addColumns(queryRunner, 'api_key', keyColumns);
    await addColumns(queryRunner, 'account_event', eventColumns);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'account_event', eventColumns);
    await dropColumns(queryRunner, 'api_key', keyColumns);
    await dropColumns(queryRunner, 'session', sessionColumns);
    await dropTable(queryRunner, membership.name);
  }
}
