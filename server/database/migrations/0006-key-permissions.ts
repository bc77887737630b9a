import { type MigrationInterface, type QueryRunner, type Table, TableColumn, TableIndex } from 'typeorm';
import * as c from '../columns.js';
import { dropIndex, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

interface AddedColumn {
  readonly type: string;
  readonly length?: number;
  /** What rows get that are there already; without it they get NULL, which the column then allows. */
  readonly fill?: string;
}

const added: Readonly<Record<'api_key' | 'ledger_hold', Readonly<Record<string, AddedColumn>>>> = {
  api_key: {
    // What every key could do before there were scopes.
    scopes: { ...c.nameColumn, fill: 'chat usage:read' },
    models: c.textColumn,
    providers: c.textColumn,
    addresses: c.textColumn,
    spend_limit_millicredits: c.millicreditsColumn,
    spend_period: c.wordColumn,
    requests_per_minute: c.integerColumn,
    expires_at_ms: c.instantColumn,
    previous_secret_hash: c.hashColumn,
    grace_ends_at_ms: c.instantColumn,
    revision: { ...c.countColumn, fill: '0' },
  },
  ledger_hold: { spend_period: c.wordColumn },
};

const previousSecretIndex = new TableIndex({
  name: 'ux_api_key_previous_secret',
  columnNames: ['previous_secret_hash'],
  isUnique: true,
});

const keySpend: TableSpec = {
  name: 'key_spend',
  columns: {
    key_id: c.idColumn,
    period: c.wordColumn,
    wallet: c.idColumn,
    starts_at_ms: c.instantColumn,
    ends_at_ms: c.instantColumn,
    limit_millicredits: c.millicreditsColumn,
    spent_millicredits: c.millicreditsColumn,
    pending_millicredits: c.millicreditsColumn,
    excess_millicredits: c.millicreditsColumn,
  },
  primaryKey: ['key_id', 'period'],
  indices: { ix_key_spend_wallet: ['wallet'] },
  references: { wallet: 'ledger_account' },
  checks: {
    ck_key_spend_range:
      'limit_millicredits >= 0 AND spent_millicredits >= 0 AND pending_millicredits >= 0 AND excess_millicredits >= 0',
    ck_key_spend_limit: 'spent_millicredits + pending_millicredits <= limit_millicredits + excess_millicredits',
  },
};

/** What a key may do, and what those with a spend limit have spent in each period. */
export class KeyPermissions1795564800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(added)) {
      for (const [name, column] of Object.entries(columns)) await addColumn(queryRunner, table, name, column);
    }
    await queryRunner.createIndex('api_key', previousSecretIndex);
    await createTable(queryRunner, keySpend);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, keySpend.name);
    await dropIndex(queryRunner, 'api_key', 'ux_api_key_previous_secret');
    for (const [table, columns] of Object.entries(added).toReversed()) {
      for (const name of Object.keys(columns).toReversed()) {
        await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${name}`);
      }
    }
  }
}

// No column has a default that would outlive this, so one that must be filled is first added empty.
async function addColumn(queryRunner: QueryRunner, table: string, name: string, column: AddedColumn): Promise<void> {
  const { type, length, fill } = column;
  const shape = { name, type, ...(length === undefined ? {} : { length: String(length) }) };
  await queryRunner.addColumn(table, new TableColumn({ ...shape, isNullable: true }));
  if (fill === undefined) return;
  await queryRunner.query(`UPDATE ${table} SET ${name} = '${fill}'`);
  const filled = ((await queryRunner.getTable(table)) as Table).findColumnByName(name) as TableColumn;
  await queryRunner.changeColumn(table, filled, new TableColumn({ ...shape, isNullable: false }));
}
