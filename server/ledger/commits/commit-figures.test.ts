import { CommitFigures } from './commit-figures.js';
import type { LedgerStore } from './ledger-store.js';

function readFigures(figures: CommitFigures, queued = 0): ReadonlyMap<string, number> {
  return new Map(figures.list(queued).map(({ name, value }) => [name, value]));
}

const nothing = { kind: 'void', input: { callId: 'call_1', accountId: 'acct_1' } } as const;

describe('CommitFigures', () => {
  it('tell a commit that hangs, as long as it does', async () => {
    let goOn = () => {};
    const commitBatch: LedgerStore['commitBatch'] = () =>
      new Promise((resolve) => {
        goOn = () => resolve({ status: 'committed', results: [] });
      });
    const figures = new CommitFigures();
    const store = figures.watch({ operationsPerBatchMax: 10, commitBatch, close: async () => {} });
    const commit = store.commitBatch([nothing, nothing]);
    expect(readFigures(figures, 3).get('tollgate_ledger_commit_running_seconds')).toBeGreaterThan(0);
    expect(readFigures(figures, 3).get('tollgate_ledger_queued_operations')).toBe(3);
    goOn();
    await commit;
    expect(readFigures(figures).get('tollgate_ledger_commit_running_seconds')).toBe(0);
    expect(readFigures(figures).get('tollgate_ledger_batch_operations_sum')).toBe(2);
    expect(readFigures(figures).get('tollgate_ledger_commit_seconds_count')).toBe(1);
  });

  it('count a commit that the database did not take, and no operations of it', async () => {
    const figures = new CommitFigures();
    const commitBatch = () => Promise.reject(new Error('The disk is full.'));
    const store = figures.watch({ operationsPerBatchMax: 10, commitBatch, close: async () => {} });
    await expect(store.commitBatch([nothing])).rejects.toThrow('The disk is full.');
    expect(readFigures(figures).get('tollgate_ledger_commits_failed_total')).toBe(1);
    expect(readFigures(figures).get('tollgate_ledger_commit_running_seconds')).toBe(0);
    expect(readFigures(figures).has('tollgate_ledger_batch_operations_sum')).toBe(false);
  });
});
