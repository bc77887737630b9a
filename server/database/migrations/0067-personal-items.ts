import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const personalItem: TableSpec = {
  name: 'personal_item',
  columns: {
    id: c.hashColumn,
    account_id: c.idColumn,
    person_id: c.idColumn,
    kind: c.wordColumn,
    name: c.nameColumn,
    content: c.textColumn,
    saved_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  indices: { ix_personal_item_account: ['account_id', 'person_id'], ix_personal_item_person: ['person_id'] },
};

/** Conversations of the playground, and its settings, that members keep for themselves. */
export class PersonalItems1800835200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, personalItem);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, personalItem.name);
  }
}
