import { Worker } from 'node:worker_threads';
import type { DatabaseAddress } from '../../database/database-address.js';
import { type LedgerReport, type VerificationScope, verifyLedger } from './verify-ledger.js';

export interface VerifyWorkerData {
  readonly file: string;
  readonly scope: VerificationScope;
}

/**
 * Verifies beside running calls. MySQL works in its own process, and we only wait for it; SQLite works in the thread that
 * asks, for seconds on a large ledger, so it is asked from a thread that lives as long as the question.
 * @param signal Gives up: at once on SQLite, after the statement under way on MySQL.
 */
export async function verifyInBackground(
  address: DatabaseAddress,
  scope: VerificationScope,
  signal: AbortSignal,
): Promise<LedgerReport> {
  signal.throwIfAborted();
  return address.kind === 'sqlite'
    ? verifyInThread({ file: address.file, scope }, signal)
    : verifyLedger(address, scope, signal);
}

function verifyInThread(workerData: VerifyWorkerData, signal: AbortSignal): Promise<LedgerReport> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./verify-worker.js', import.meta.url), { workerData });
    worker.unref();
    const stop = () => void worker.terminate();
    signal.addEventListener('abort', stop);
    worker.once('message', (report: LedgerReport) => resolve(report));
    worker.on('error', reject);
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop);
      reject(new Error('The verification was stopped.'));
    });
  });
}
