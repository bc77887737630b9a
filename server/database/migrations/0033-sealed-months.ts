import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

// Without a foreign key to the wallet: on MySQL each row that is written would lock the wallet, and calls would wait for it.
const sealedMonth: TableSpec = {
  name: 'sealed_month',
  columns: {
    account_id: c.idColumn,
    month_ms: c.instantColumn,
    month_end_ms: c.instantColumn,
    calls: c.countColumn,
    held_calls: c.countColumn,
    prompt_tokens: c.countColumn,
    completion_tokens: c.countColumn,
    charged_millicredits: c.millicreditsColumn,
    absorbed_millicredits: c.millicreditsColumn,
  },
  primaryKey: ['account_id', 'month_ms'],
  checks: {
    ck_sealed_month_sums:
      'calls > 0 AND held_calls >= 0 AND held_calls <= calls AND prompt_tokens >= 0 AND completion_tokens >= 0 AND charged_millicredits >= 0 AND absorbed_millicredits >= 0',
  },
};

const columnsOfLeases = { sealed_spent: c.millicreditsColumn, sealed_calls: c.countColumn };

/** Where the sums of receipts stand that were removed because of their age. */
export class SealedMonths1797897600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, sealedMonth);
    await addColumns(queryRunner, 'wallet_lease', columnsOfLeases);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'wallet_lease', columnsOfLeases);
    await dropTable(queryRunner, sealedMonth.name);
  }
}
