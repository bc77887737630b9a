import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const savedItem: TableSpec = {
  name: 'saved_item',
  columns: {
    id: c.hashColumn,
    account_id: c.idColumn,
    kind: c.wordColumn,
    name: c.nameColumn,
    content: c.textColumn,
    saved_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  indices: { ix_saved_item_account: ['account_id', 'kind'] },
};

/** Prompts and views that accounts keep for their members. */
export class SavedItems1799971200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, savedItem);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, savedItem.name);
  }
}
