import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const acceptedInvitation: TableSpec = {
  name: 'accepted_invitation',
  columns: {
    token_hash: c.hashColumn,
    account_id: c.idColumn,
    person_id: c.idColumn,
    expires_at_ms: c.instantColumn,
  },
  primaryKey: ['token_hash'],
  indices: { ix_accepted_invitation_account: ['account_id'], ix_accepted_invitation_person: ['person_id'] },
};

/** Who has joined an account by which link, so that the link can say so to them. */
export class AcceptedInvitations1801353600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, acceptedInvitation);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, acceptedInvitation.name);
  }
}
