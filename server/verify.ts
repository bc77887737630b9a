import { loadConfig } from './config.js';
import { printLedgerReport } from './ledger/print-ledger-report.js';
import { listBroken, verifyLedger } from './ledger/verify-ledger.js';
import { isNothingWaiting, readWaitingSettlements } from './ledger/waiting-settlements.js';

/*
 * `npm run ledger:verify`: the whole ledger in one snapshot, beside running servers or without them. It changes nothing.
 * Exit status: 0 the ledger adds up, 1 something is broken, 2 it could not look, 3 it adds up, but settlements wait on this
 * machine's disk that are not booked.
 */
try {
  const { database, spoolFolder } = loadConfig(process.env);
  // Before the books: what a server books meanwhile is counted twice rather than not at all.
  const waiting = await readWaitingSettlements(spoolFolder);
  const report = await verifyLedger(database);
  console.log(printLedgerReport(report, waiting));
  if (listBroken(report).length > 0) process.exitCode = 1;
  else process.exitCode = isNothingWaiting(waiting) ? 0 : 3;
} catch (error) {
  // A refused connection to a name with two addresses comes as an error without a message.
  const words = error instanceof Error && error.message !== '' ? error.message : error;
  console.error('The ledger could not be looked at.', words);
  process.exitCode = 2;
}
