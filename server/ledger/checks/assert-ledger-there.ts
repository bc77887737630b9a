import type { DataSource } from 'typeorm';

/**
 * For a program that is no server and makes no tables: a ledger that is opened without its tables would wait for them.
 * @throws what the database says where they are missing.
 */
export async function assertLedgerThere(source: DataSource): Promise<void> {
  await source.query('SELECT 1 FROM ledger_account LIMIT 1');
}
