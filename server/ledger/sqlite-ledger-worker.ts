import { parentPort, workerData } from 'node:worker_threads';
import { sqliteSessionPragmas } from '../database/session-settings.js';
import { Sqlite } from '../database/sqlite-driver.js';
import { assertInvariant } from '../kernel/assert.js';
import { SqliteLedger } from './sqlite-ledger.js';
import type { SqliteReply, SqliteRequest, SqliteWorkerData } from './sqlite-ledger-store.js';

/*
 * The thread that commits the ledger's batches on SQLite: better-sqlite3 waits for the disk synchronously, and the event
 * loop that streams answers must not wait with it.
 */

assertInvariant(parentPort !== null, 'the ledger worker runs as a worker thread');
const port = parentPort;
const { file, times } = workerData as SqliteWorkerData;
const database = new Sqlite(file);
for (const pragma of sqliteSessionPragmas) database.pragma(pragma);
const ledger = new SqliteLedger(database, times);

port.on('message', (request: SqliteRequest) => {
  if (request === 'close') {
    database.close();
    port.close();
    return;
  }
  port.postMessage(reply(request));
});

function reply(operations: Exclude<SqliteRequest, 'close'>): SqliteReply {
  try {
    return { outcome: ledger.commitBatch(operations) };
  } catch (error) {
    // A thrown object loses its class and its code on the way between threads.
    const { message, code } = error as { message: string; code?: string };
    return { failure: { message, code: code ?? 'UNKNOWN' } };
  }
}
