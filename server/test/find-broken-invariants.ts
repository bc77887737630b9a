import type { QueryRunner } from 'typeorm';
import { findLedgerViolations } from '../ledger/checks/check-ledger.js';

/** The invariants of the ledger that these statements break, in their own sentences; the statements are taken back. */
export async function findBrokenInvariants(connection: QueryRunner, statements: readonly string[]): Promise<string[]> {
  await connection.query('BEGIN');
  try {
    for (const sql of statements) await connection.query(sql);
    return (await findLedgerViolations(connection.manager)).map(({ invariant }) => invariant);
  } finally {
    await connection.query('ROLLBACK');
  }
}
