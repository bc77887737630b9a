import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '../../kernel/logger.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import { AsideLane } from './aside-lane.js';
import { AwakeClock } from './awake-clock.js';
import { GroupCommit } from './group-commit.js';
import type { BatchOutcome, LedgerStore } from './ledger-store.js';

const timeoutMs = 1_500;

const operation = { kind: 'renew', input: { callId: 'call_1', accountId: 'acct_1' } } as unknown as LedgerOperation;

/** A database that answers nothing until it is let go, and from then on at once; one operation after the other. */
function makeHeldStore() {
  let release = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    release = resolve;
  });
  const store = {
    operationsPerBatchMax: 1,
    async commitBatch(operations: readonly LedgerOperation[]): Promise<BatchOutcome> {
      await isLetGo;
      return { status: 'committed', results: operations.map(() => ({ status: 'renewed' })) };
    },
  };
  return { store: store as unknown as LedgerStore, release };
}

function openGroupCommit(store: LedgerStore): GroupCommit {
  const clock = new AwakeClock();
  return new GroupCommit({ store, aside: new AsideLane(store, clock, silentLogger), clock, logger: silentLogger });
}

/** Holds up the whole process, as a machine that is suspended does. */
function standStill(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}

describe('the queue of the ledger', () => {
  it('turns nobody away for the time in which the whole process stood still', async () => {
    const { store, release } = makeHeldStore();
    const commit = openGroupCommit(store);
    const results = Promise.allSettled([1, 2, 3].map(() => commit.submit(operation, timeoutMs)));
    await sleep(10);
    standStill(2 * timeoutMs);
    // The timer that turns away whoever has waited too long has its turn before the database is heard.
    await sleep(10);
    release();
    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    await commit.close();
  });

  it('turns away whoever has waited in it beyond the time limit while the process was awake', async () => {
    const { store, release } = makeHeldStore();
    const commit = openGroupCommit(store);
    const first = commit.submit(operation, timeoutMs);
    await expect(commit.submit(operation, timeoutMs)).rejects.toMatchObject({ code: 'service_unavailable' });
    release();
    expect(await first).toEqual({ status: 'renewed' });
    await commit.close();
  });
});
