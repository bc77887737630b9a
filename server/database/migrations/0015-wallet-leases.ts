import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

// A lease is a hold, too: its amount is pending in the wallet, and the overspending of a release that knows no leases is refused
// as ever. This table says what only leases have. Its id is the hold's; the wallet's foreign key stands there.
const walletLease: TableSpec = {
  name: 'wallet_lease',
  columns: {
    id: c.idColumn,
    wallet: c.idColumn,
    instance: c.idColumn,
    amount: c.millicreditsColumn,
    spent: c.millicreditsColumn,
    calls: c.countColumn,
    reserved: c.millicreditsColumn,
    state: c.wordColumn,
  },
  primaryKey: ['id'],
  indices: { ix_wallet_lease_wallet: ['wallet', 'state'], ix_wallet_lease_instance: ['instance', 'state'] },
  checks: {
    ck_wallet_lease_amounts: 'amount > 0 AND spent >= 0 AND spent <= amount AND calls >= 0 AND reserved >= 0',
  },
};

const columnsOfReceipts = { lease: c.idColumn, balance_after: c.millicreditsColumn };

/** Credits that an instance has set aside for calls which reserve in memory, and the receipts that are booked against them. */
export class WalletLeases1796342400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, walletLease);
    await addColumns(queryRunner, 'call_record', columnsOfReceipts);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropColumns(queryRunner, 'call_record', columnsOfReceipts);
    await dropTable(queryRunner, walletLease.name);
  }
}
