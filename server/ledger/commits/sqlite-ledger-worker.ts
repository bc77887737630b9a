import { parentPort, workerData } from 'node:worker_threads';
import { ledgerBusyTimeoutMs, sqliteSessionPragmas } from '../../database/session-settings.js';
import { Sqlite } from '../../database/sqlite-driver.js';
import { assertInvariant } from '../../kernel/assert.js';
import { BatchFailure, type BatchOutcome } from './ledger-store.js';
import { SqliteLedger } from './sqlite-ledger.js';
import type { SqliteReply, SqliteRequest, SqliteWorkerData } from './sqlite-ledger-store.js';

/*
 * The thread that commits the ledger's batches on SQLite: better-sqlite3 waits for the disk synchronously, and the event
 * loop that streams answers must not wait with it.
 */

assertInvariant(parentPort !== null, 'the ledger worker runs as a worker thread');
const port = parentPort;
const { file, times, instance } = workerData as SqliteWorkerData;

let opened: { readonly ledger: SqliteLedger; close(): void } | null = null;

function open() {
  // The server has made it long before; an empty file in its place would be another ledger.
  const database = new Sqlite(file, { fileMustExist: true });
  try {
    for (const pragma of sqliteSessionPragmas) database.pragma(pragma);
    database.pragma(`busy_timeout = ${ledgerBusyTimeoutMs}`);
    return { ledger: new SqliteLedger(database, times), close: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

port.on('message', (request: SqliteRequest) => {
  if (request === 'close') {
    opened?.close();
    port.close();
    return;
  }
  port.postMessage(reply(request));
});

function reply(operations: Exclude<SqliteRequest, 'close'>): SqliteReply {
  try {
    opened ??= open();
  } catch (error) {
    return { failure: describe(new BatchFailure('not_begun', error)) };
  }
  try {
    return { outcome: withoutOwnLeases(opened.ledger.commitBatch(operations)) };
  } catch (error) {
    if (error instanceof BatchFailure) return { failure: describe(error) };
    // Not even the ROLLBACK went through; whatever this connection still carries ends with it.
    const { ledger: _, close } = opened;
    opened = null;
    close();
    return { failure: describe(new BatchFailure('in_doubt', error)) };
  }
}

// Each object costs both threads its copy.
function withoutOwnLeases(outcome: BatchOutcome): BatchOutcome {
  if (outcome.status !== 'committed' || !outcome.openLeases) return outcome;
  const openLeases = outcome.openLeases.filter((lease) => lease.instance !== instance);
  return { ...outcome, openLeases };
}

// A thrown object loses its class and its code on the way between threads.
function describe({ stage, cause }: BatchFailure) {
  const { message, code } = cause as { message?: string; code?: string };
  return { stage, message: message ?? String(cause), code: code ?? 'UNKNOWN' };
}
