import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { SqliteFilePlace } from '../../database/sqlite-file-place.js';
import { assertInvariant } from '../../kernel/assert.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import type { LeaseTimes } from './decide-batch.js';
import { BatchFailure, type BatchOutcome, type FailureStage, type LedgerStore } from './ledger-store.js';

/** What the worker is asked, one at a time. */
export type SqliteRequest = readonly LedgerOperation[] | 'close';
export interface SqliteWorkerData {
  readonly file: string;
  readonly times: LeaseTimes;
  /** Whose leases are known to whoever asks, so that nothing is said of them. */
  readonly instance?: string;
}

export type SqliteReply =
  | { outcome: BatchOutcome }
  | { failure: { stage: FailureStage; message: string; code: string } };

interface Waiting {
  readonly resolve: (outcome: BatchOutcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The ledger on a SQLite file, committed by a worker thread with a connection of its own. The thread is started when it is first
 * needed, and again when it has died.
 */
export class SqliteLedgerStore implements LedgerStore {
  // A larger batch would hold the file's write lock for longer than other writers like to wait.
  readonly operationsPerBatchMax = 128;
  #worker: Worker | null = null;
  #waiting: Waiting | null = null;

  /** @param place Asked before each batch: a batch in a file that was moved away is lost, and a thread that is started again would open the other one. */
  constructor(
    private readonly workerData: SqliteWorkerData,
    private readonly place = new SqliteFilePlace(workerData.file),
  ) {}

  async commitBatch(operations: readonly LedgerOperation[]): Promise<BatchOutcome> {
    assertInvariant(this.#waiting === null, 'one batch is in flight at a time');
    const worker = this.#startInPlace();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      worker.postMessage(operations);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const exited = once(worker, 'exit');
    worker.postMessage('close');
    await exited;
  }

  /** @throws BatchFailure `not_begun` where the file is not in its place, or the system gives no thread; it may give one for the next batch. */
  #startInPlace(): Worker {
    try {
      this.place.assertInPlace();
      return this.#start();
    } catch (error) {
      throw new BatchFailure('not_begun', error);
    }
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const { workerData } = this;
    const worker = new Worker(new URL('./sqlite-ledger-worker.js', import.meta.url), { workerData });
    worker.on('message', (reply: SqliteReply) => this.#answer(reply));
    worker.on('error', (error) => this.#die(worker, error));
    worker.on('exit', () => this.#die(worker, new Error('The ledger worker has ended.')));
    this.#worker = worker;
    return worker;
  }

  #answer(reply: SqliteReply): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if ('outcome' in reply) {
      waiting?.resolve(reply.outcome);
      return;
    }
    const { stage, message, code } = reply.failure;
    waiting?.reject(new BatchFailure(stage, Object.assign(new Error(message), { code })));
  }

  #die(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    this.#waiting?.reject(new BatchFailure('in_doubt', error));
    this.#waiting = null;
  }
}
