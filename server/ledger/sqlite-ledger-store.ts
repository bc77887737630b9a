import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { assertInvariant } from '../kernel/assert.js';
import type { LeaseTimes } from './decide-batch.js';
import type { LedgerOperation } from './ledger-rows.js';
import type { BatchOutcome, LedgerStore } from './ledger-store.js';

/** What the worker is asked, one at a time. */
export type SqliteRequest = readonly LedgerOperation[] | 'close';
export interface SqliteWorkerData {
  readonly file: string;
  readonly times: LeaseTimes;
}

export type SqliteReply = { outcome: BatchOutcome } | { failure: { message: string; code: string } };

interface Waiting {
  readonly resolve: (outcome: BatchOutcome) => void;
  readonly reject: (error: Error) => void;
}

/** The ledger on a SQLite file, committed by a worker thread with a connection of its own. */
export class SqliteLedgerStore implements LedgerStore {
  // A larger batch would hold the file's write lock for longer than other writers like to wait.
  readonly operationsPerBatchMax = 128;
  readonly #worker: Worker;
  #waiting: Waiting | null = null;
  #deathError: Error | null = null;

  constructor(workerData: SqliteWorkerData) {
    this.#worker = new Worker(new URL('./sqlite-ledger-worker.js', import.meta.url), { workerData });
    this.#worker.on('message', (reply: SqliteReply) => this.#answer(reply));
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', () => this.#die(new Error('The ledger worker has ended.')));
  }

  commitBatch(operations: readonly LedgerOperation[]): Promise<BatchOutcome> {
    assertInvariant(this.#waiting === null, 'one batch is in flight at a time');
    if (this.#deathError) return Promise.reject(this.#deathError);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#worker.postMessage(operations);
    });
  }

  async close(): Promise<void> {
    if (this.#deathError) return;
    const exited = once(this.#worker, 'exit');
    this.#worker.postMessage('close');
    await exited;
  }

  #answer(reply: SqliteReply): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if ('outcome' in reply) waiting?.resolve(reply.outcome);
    else waiting?.reject(Object.assign(new Error(reply.failure.message), { code: reply.failure.code }));
  }

  #die(error: Error): void {
    this.#deathError ??= error;
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}
