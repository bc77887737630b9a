import { createDataSource, openDataSource } from '../server/database/data-source.js';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { entities, migrations } from '../server/entities.js';
import { listBroken, verifyLedger } from '../server/ledger/checks/verify-ledger.js';

/** How the books stand. */
export interface Books {
  /** Everything that does not add up. */
  readonly violations: object[];
  readonly openHolds: number;
  /** Calls with a receipt. */
  readonly calls: number;
}

export async function inspectBooks(address: DatabaseAddress): Promise<Books> {
  // On connections of its own: what a long run has booked takes longer to look at than a request may.
  const violations = listBroken(await verifyLedger(address));
  const source = await openDataSource(createDataSource(address, { entities, migrations }));
  const [open] = await source.query("SELECT COUNT(*) AS n FROM ledger_hold WHERE state = 'open'");
  const [booked] = await source.query('SELECT COUNT(*) AS n FROM call_record');
  await source.destroy();
  return { violations, openHolds: Number(open.n), calls: Number(booked.n) };
}

/** No figure counts unless the books are right after it. @throws when they are not, or a hold is still open. */
export async function proveBooks(address: DatabaseAddress): Promise<Books> {
  const books = await inspectBooks(address);
  const { violations, openHolds } = books;
  if (violations.length > 0 || openHolds > 0) {
    throw new Error(`The books are wrong: ${openHolds} open holds, ${JSON.stringify(violations)}`);
  }
  return books;
}
