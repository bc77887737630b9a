import type { KeyRoom, OpenLease } from '../leases/lease-types.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import type { OperationResult } from './decide-batch.js';

export type BatchOutcome =
  | {
      readonly status: 'committed';
      readonly results: readonly OperationResult[];
      /** The leases of its wallets as it has left them; left out: nobody knows of any. */
      readonly openLeases?: readonly OpenLease[];
      /** What it has left of the limits of its keys; left out: nobody knows. */
      readonly keyRooms?: readonly KeyRoom[];
    }
  /** Nothing was written: the companion of this operation changed no row, or more than one. */
  | { readonly status: 'companion_changed_nothing'; readonly operationIndex: number };

/**
 * How far a batch had come when it failed. `not_begun`: there was no connection or no transaction, so no operation of it is at
 * fault. `undone`: nothing of it is in the database. `in_doubt`: COMMIT was under way, and nobody knows.
 */
export type FailureStage = 'not_begun' | 'undone' | 'in_doubt';

/** A batch was not committed, as far as is known. `cause` is the driver's error. Running the same operations again is right. */
export class BatchFailure extends Error {
  override readonly name = 'BatchFailure';

  constructor(
    readonly stage: FailureStage,
    cause: unknown,
  ) {
    super(`A batch failed (${stage}): ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }

  /** What the driver calls it, for the log. */
  get code(): string | undefined {
    const { code, errno } = (this.cause ?? {}) as { code?: unknown; errno?: unknown };
    return code === undefined && errno === undefined ? undefined : String(code ?? errno);
  }
}

/**
 * The ledger's own connection to a database. Two exist: SQLite in a worker thread and MySQL.
 *
 * `commitBatch` runs one transaction: locks the wallets in the order of their ids, reads, lets `decideBatch` decide,
 * writes, commits durably. It rejects with a `BatchFailure` for whatever a driver may throw, and a connection that is not
 * provably clean after that is not used again. Running the same operations again is always right, since each is known by its
 * id.
 */
export interface LedgerStore {
  readonly operationsPerBatchMax: number;
  commitBatch(operations: readonly LedgerOperation[]): Promise<BatchOutcome>;
  close(): Promise<void>;
}
