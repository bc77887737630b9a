import { silentLogger } from '../../kernel/logger.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import { AsideLane } from './aside-lane.js';
import { AwakeClock } from './awake-clock.js';
import { GroupCommit } from './group-commit.js';
import { BatchFailure, type BatchOutcome, type LedgerStore } from './ledger-store.js';

const timeoutMs = 60_000;
/** Of whoever waits for an operation that will never go through. */
const poisonTimeoutMs = 1_500;
const wallets = 20;
const operationsEach = 5;
/** Both attempts of the queue, and the first at each wallet. */
const failuresOfOutage = 2 + wallets;

const operationOf = (wallet: number, n: number) =>
  ({
    kind: 'renew',
    input: { callId: `call_${wallet}_${n}`, accountId: `acct_${wallet}` },
  }) as unknown as LedgerOperation;

/** A database that refuses as long as it is told to, whole batches at a time. */
function makeStore(refuses: (operations: readonly LedgerOperation[], attempt: number) => boolean) {
  const committed: string[][] = [];
  let attempts = 0;
  const store = {
    operationsPerBatchMax: 256,
    async commitBatch(operations: readonly LedgerOperation[]): Promise<BatchOutcome> {
      attempts += 1;
      if (refuses(operations, attempts)) throw new BatchFailure('in_doubt', new Error('The server went away.'));
      committed.push(operations.map(({ input }) => ('callId' in input ? input.callId : '')));
      return { status: 'committed', results: operations.map(() => ({ status: 'renewed' })) };
    },
  };
  return { store: store as unknown as LedgerStore, committed };
}

function open(store: LedgerStore) {
  const clock = new AwakeClock();
  const aside = new AsideLane(store, clock, silentLogger);
  return { aside, commit: new GroupCommit({ store, aside, clock, logger: silentLogger }) };
}

const submitAll = (commit: GroupCommit, poisonIndex = -1) =>
  Array.from({ length: wallets * operationsEach }, (_, index) =>
    commit.submit(
      operationOf(index % wallets, Math.floor(index / wallets)),
      index === poisonIndex ? poisonTimeoutMs : timeoutMs,
    ),
  );

describe('the lane aside', () => {
  it('serves what an outage has put there by shared commits once it is over, each operation once and in order', async () => {
    const { store, committed } = makeStore((_, attempt) => attempt <= failuresOfOutage);
    const { aside, commit } = open(store);
    await Promise.all(submitAll(commit));
    await commit.close();
    await aside.close();
    // One for each wallet to see that it is well, and few for all the rest; one for each operation would be 100.
    expect(committed.length).toBeLessThan(2 * wallets + operationsEach);
    const order = committed.flat();
    expect(new Set(order).size).toBe(order.length);
    expect(order).toHaveLength(wallets * operationsEach);
    for (let wallet = 0; wallet < wallets; wallet += 1) {
      const own = order.filter((callId) => callId.startsWith(`call_${wallet}_`));
      expect(own).toEqual([...own].sort());
    }
  });

  it('keeps one operation that no server digests from the others, of its wallet and of all the rest', async () => {
    const poison = 'call_3_2';
    const { store, committed } = makeStore((operations) =>
      operations.some(({ input }) => 'callId' in input && input.callId === poison),
    );
    const { aside, commit } = open(store);
    const poisonIndex = 2 * wallets + 3;
    const results = submitAll(commit, poisonIndex);
    const refused = expect(results.splice(poisonIndex, 1)[0]).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await Promise.all(results)).toHaveLength(wallets * operationsEach - 1);
    // It is not the end of what its wallet may do.
    expect(await commit.submit(operationOf(3, operationsEach), timeoutMs)).toEqual({ status: 'renewed' });
    expect(committed.flat()).not.toContain(poison);
    await refused;
    await commit.close();
    await aside.close();
  });
});
