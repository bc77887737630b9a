import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '../kernel/logger.js';
import { GroupCommit } from './group-commit.js';
import type { LedgerOperation } from './ledger-rows.js';
import type { BatchOutcome, LedgerStore } from './ledger-store.js';

const patienceMs = 600;
const commitMs = 100;

/** A database that is never away, and takes its time over one operation after the other. */
const slowStore = {
  operationsPerBatchMax: 1,
  async commitBatch(operations: readonly LedgerOperation[]): Promise<BatchOutcome> {
    await sleep(commitMs);
    return { status: 'committed', results: operations.map(() => ({ status: 'renewed' })) };
  },
} as unknown as LedgerStore;

const operation = { kind: 'renew', input: { callId: 'call_1', accountId: 'acct_1' } } as unknown as LedgerOperation;

/** Holds up the whole process, as a machine that is suspended does. */
function standStill(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}

describe('the queue of the ledger', () => {
  it('turns nobody away for the time in which the whole process stood still', async () => {
    const commit = new GroupCommit(slowStore, silentLogger);
    const results = Promise.allSettled(Array.from({ length: 3 }, () => commit.submit(operation, patienceMs)));
    await sleep(10);
    standStill(3 * patienceMs);
    expect((await results).map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'));
    await commit.close();
  });

  it('turns away whoever has waited longer than his patience while the process was awake', async () => {
    const commit = new GroupCommit(slowStore, silentLogger);
    const results = await Promise.allSettled(Array.from({ length: 30 }, () => commit.submit(operation, patienceMs)));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.length).toBeGreaterThan(10);
    expect(refused[0]).toMatchObject({ reason: { code: 'service_unavailable' } });
    await commit.close();
  });
});
