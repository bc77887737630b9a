import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const keyColumns = { tokens_per_minute: c.integerColumn };
const receiptColumns = { tag: c.nameColumn, end_user: c.nameColumn };

const tokenMinute: TableSpec = {
  name: 'token_minute',
  columns: { owner_id: c.idColumn, seconds: c.textColumn },
  primaryKey: ['owner_id'],
};

/** A key's own tokens per minute, where several instances on one MySQL count them, and what callers mark their calls with. */
export class TokensAndTags1796515200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'api_key', keyColumns);
    await addColumns(queryRunner, 'call_record', receiptColumns);
    await createTable(queryRunner, tokenMinute);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, tokenMinute.name);
    await dropColumns(queryRunner, 'call_record', receiptColumns);
    await dropColumns(queryRunner, 'api_key', keyColumns);
  }
}
