import { commitSeconds, LabelledHistogram } from '../../kernel/metrics/labelled-histogram.js';
import type { Metric } from '../../kernel/metrics/metric.js';
import { CommitStanding } from './commit-standing.js';
import type { LedgerStore } from './ledger-store.js';

/** Operations of one commit: powers of two up to what the stores take at once, and a little beyond. */
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] as const;

/** How this process commits: how many operations together, how long it takes, and whether a commit hangs. */
export class CommitFigures {
  readonly standing = new CommitStanding();
  readonly #sizes = new LabelledHistogram(
    'tollgate_ledger_batch_operations',
    'Operations that shared one commit.',
    batchSizes,
    [],
  );
  readonly #seconds = new LabelledHistogram(
    'tollgate_ledger_commit_seconds',
    'How long a commit took, from its first statement on.',
    commitSeconds,
    [],
  );
  readonly #begun = new Set<{ readonly atMs: number }>();
  #failedCount = 0;

  /** The same store, with its commits measured here. */
  watch(store: LedgerStore): LedgerStore {
    return {
      operationsPerBatchMax: store.operationsPerBatchMax,
      commitBatch: async (operations) => {
        const begun = { atMs: performance.now() };
        this.#begun.add(begun);
        try {
          const outcome = await store.commitBatch(operations);
          this.standing.noteCommitted();
          this.#sizes.observe([], operations.length);
          this.#seconds.observe([], (performance.now() - begun.atMs) / 1_000);
          return outcome;
        } catch (error) {
          this.#failedCount += 1;
          this.standing.noteFailed(operations);
          throw error;
        } finally {
          this.#begun.delete(begun);
        }
      },
      close: () => store.close(),
    };
  }

  /** @param queuedCount Operations that wait for a commit to begin. */
  list(queuedCount: number): Metric[] {
    const nowMs = performance.now();
    const hangingMs = Math.max(0, ...[...this.#begun].map(({ atMs }) => nowMs - atMs));
    return [
      ...this.#sizes.list(),
      ...this.#seconds.list(),
      {
        name: 'tollgate_ledger_commits_failed_total',
        kind: 'counter',
        value: this.#failedCount,
        help: 'Commits that the database did not take; their operations come again.',
      },
      {
        name: 'tollgate_ledger_queued_operations',
        kind: 'gauge',
        value: queuedCount,
        help: 'Operations that wait for a commit to begin.',
      },
      {
        name: 'tollgate_ledger_commit_running_seconds',
        kind: 'gauge',
        value: hangingMs / 1_000,
        ofSeveral: 'max',
        help: 'How long the longest commit under way has taken so far; 0 when there is none.',
      },
    ];
  }
}
