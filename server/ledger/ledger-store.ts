import type { OperationResult } from './decide-batch.js';
import type { LedgerOperation } from './ledger-rows.js';

export type BatchOutcome =
  | { readonly status: 'committed'; readonly results: readonly OperationResult[] }
  /** Nothing was written: the companion of this operation changed no row, or more than one. */
  | { readonly status: 'companion_changed_nothing'; readonly operationIndex: number };

/**
 * The ledger's own connection to a database. Two exist: SQLite in a worker thread and MySQL.
 *
 * `commitBatch` runs one transaction: locks the wallets in the order of their ids, reads, lets `decideBatch` decide,
 * writes, commits durably. After a rejection with a lost connection nobody knows whether it was committed; running the same
 * operations again is always right, since each is known by its id.
 */
export interface LedgerStore {
  readonly operationsPerBatchMax: number;
  commitBatch(operations: readonly LedgerOperation[]): Promise<BatchOutcome>;
  close(): Promise<void>;
}
