import { parentPort, workerData } from 'node:worker_threads';
import type { VerifyWorkerData } from './verify-in-background.js';
import { verifyLedger } from './verify-ledger.js';

/* The thread of one verification on SQLite. An error ends it, and reaches whoever started it. */

const { file, scope } = workerData as VerifyWorkerData;
parentPort?.postMessage(await verifyLedger({ kind: 'sqlite', file }, scope));
