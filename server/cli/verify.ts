import 'reflect-metadata';
import type { DataSource } from 'typeorm';
import type { Config } from '../config/config.js';
import { createDataSource } from '../database/data-source.js';
import type { DatabaseAddress } from '../database/database-address.js';
import { findDatabaseId } from '../database/database-id.js';
import { commandWaits } from '../database/pool/mysql-pool.js';
import { checkSqliteFile } from '../database/proofs/check-sqlite-file.js';
import { describeGuard, findMissingTriggers } from '../database/schema-changes/append-only.js';
import { printLedgerReport } from '../ledger/checks/print-ledger-report.js';
import { listBroken, verifyLedger } from '../ledger/checks/verify-ledger.js';
import { isNothingWaiting, readWaitingSettlements } from '../ledger/settlements/waiting-settlements.js';
import { loadProgramConfig, readWords, runOperatorProgram, UsageError } from './operator-program.js';
import { tellWhenSilent } from './tell-when-silent.js';
import { workThenClose } from './work-then-close.js';

/*
 * `npm run ledger:verify`: the whole ledger in one snapshot, beside running servers or without them, and on SQLite whether the
 * file is sound. It changes nothing. Exit status: 0 the ledger adds up, 1 something is broken, 2 it could not look, 3 it adds
 * up, but settlements wait on this machine's disk that are not booked.
 */
const program = {
  usage: 'Usage: npm run ledger:verify (without options; DATABASE_URL says which database)',
  failure: 'The ledger could not be looked at.',
  exitCodes: { usage: 2, failed: 2 },
};

await runOperatorProgram(program, async () => {
  const [word] = readWords(process.argv.slice(2)).positionals;
  if (word !== undefined) throw new UsageError(`Nothing is known about ${JSON.stringify(word)}.`);
  const { database, spoolFolder } = loadProgramConfig(process.env, { isSpoolUsed: false });
  const isFileSound = printFileReport(database);
  // Before the books: what a server books meanwhile is counted twice rather than not at all.
  const waiting = await readWaitingSettlements(spoolFolder, await findIdOf(database));
  const report = await tellWhenSilent(() => verifyLedger(database)).catch((error: unknown) => {
    if (isFileSound) throw error;
    return null;
  });
  if (report !== null) console.log(printLedgerReport(report, waiting));
  if (isFileSound) console.log(describeGuard(await askDatabase(database, findMissingTriggers)));
  if (report === null || !isFileSound || listBroken(report).length > 0) return 1;
  return isNothingWaiting(waiting) ? 0 : 3;
});

// Before the ledger: what is read from a damaged file proves nothing, and may not be readable at all.
function printFileReport(database: Config['database']): boolean {
  if (database.kind !== 'sqlite') return true;
  const { faults, durationMs } = checkSqliteFile(database.file);
  const seconds = (durationMs / 1_000).toFixed(2);
  const verdict = faults.length === 0 ? 'ok     ' : 'BROKEN ';
  console.log(`${verdict} ${seconds} s  The file ${database.file} is sound, says SQLite's integrity_check`);
  for (const fault of faults) console.log(`          ${fault}`);
  if (faults.length > 0) console.log('THE FILE IS DAMAGED. Stop the server, keep a copy, and restore a backup.');
  return faults.length === 0;
}

// What keeps it from being read is told by the verification, and meanwhile everything counts as waiting.
function findIdOf(address: DatabaseAddress): Promise<string | null | undefined> {
  return askDatabase(address, ({ manager }) => findDatabaseId(manager)).catch(() => undefined);
}

async function askDatabase<Answer>(
  address: DatabaseAddress,
  ask: (source: DataSource) => Promise<Answer>,
): Promise<Answer> {
  const source = await createDataSource(address, { entities: [], migrations: [], waits: commandWaits }).initialize();
  return workThenClose(
    () => ask(source),
    () => source.destroy(),
  );
}
