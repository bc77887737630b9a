import 'reflect-metadata';
import { loadConfig } from './config.js';
import { describeGuard, findMissingTriggers } from './database/append-only.js';
import { createDataSource } from './database/data-source.js';
import type { DatabaseAddress } from './database/database-address.js';
import { printLedgerReport } from './ledger/print-ledger-report.js';
import { listBroken, verifyLedger } from './ledger/verify-ledger.js';

/*
 * `npm run ledger:verify`: the whole ledger in one snapshot, beside running servers or without them. It changes nothing.
 * Exit status: 0 the ledger adds up, 1 something is broken, 2 it could not look.
 */
try {
  const { database } = loadConfig(process.env);
  const report = await verifyLedger(database);
  console.log(printLedgerReport(report));
  console.log(describeGuard(await readMissingTriggers(database)));
  process.exitCode = listBroken(report).length === 0 ? 0 : 1;
} catch (error) {
  // A refused connection to a name with two addresses comes as an error without a message.
  const words = error instanceof Error && error.message !== '' ? error.message : error;
  console.error('The ledger could not be looked at.', words);
  process.exitCode = 2;
}

async function readMissingTriggers(address: DatabaseAddress): Promise<string[]> {
  const source = await createDataSource(address, { entities: [], migrations: [] }).initialize();
  try {
    return await findMissingTriggers(source);
  } finally {
    await source.destroy();
  }
}
