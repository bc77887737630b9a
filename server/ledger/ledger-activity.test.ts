import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { LedgerTraffic } from '../test/ledger-traffic.js';
import type { BatchOutcome } from './commits/ledger-store.js';
import { LedgerActivity } from './ledger-activity.js';
import type { LedgerOperation } from './tables/ledger-rows.js';

describeOnEachDatabase('LedgerActivity', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);
  let traffic: LedgerTraffic;
  beforeAll(async () => {
    traffic = await LedgerTraffic.open(fixture, 2);
  });

  const accountAt = (index: number) => traffic.accounts[index] ?? { accountId: '', keyId: '' };

  it('remembers each touched wallet until it is asked, once', async () => {
    const { activity } = fixture.ledger;
    const ids = traffic.accounts.map(({ accountId }) => accountId);
    expect(activity.takeTouchedWallets()).toEqual(ids);
    await traffic.call(accountAt(1));
    expect(activity.takeTouchedWallets()).toEqual([ids[1]]);
    expect(activity.takeTouchedWallets()).toEqual([]);
    activity.putBack(ids);
    expect(activity.takeTouchedWallets()).toEqual(ids);
    activity.putBack(null);
    expect(activity.takeTouchedWallets()).toBeNull();
  });

  it('sums what the operator absorbed, and counts a second end of a call, but not the first', async () => {
    const { activity } = fixture.ledger;
    const callId = await traffic.call(accountAt(0), 'absorbed');
    expect(activity.absorbedMillicredits).toBe(9_000_000 * 2 - 10_000_000);
    expect(activity.doubleResolutionCount).toBe(0);
    await fixture.ledger.voidHold(callId, accountAt(0).accountId);
    expect(activity.doubleResolutionCount).toBe(1);
    expect(activity.absorbedMillicredits).toBe(9_000_000 * 2 - 10_000_000);
  });
});

describe('LedgerActivity', () => {
  const settlementOf = (accountId: string): LedgerOperation => ({
    kind: 'void',
    input: { callId: createId('call'), accountId },
  });
  const storeAnswering = (answer: (count: number) => Promise<BatchOutcome>) => ({
    operationsPerBatchMax: 128,
    commitBatch: (operations: readonly LedgerOperation[]) => answer(operations.length),
    close: async () => {},
  });
  const amount = toMillicredits(0);
  const replays = (count: number): BatchOutcome => ({
    status: 'committed',
    results: Array.from({ length: count }, () => ({
      status: 'settled',
      chargedMillicredits: amount,
      absorbedMillicredits: amount,
      availableAfterMillicredits: amount,
      balanceAfterMillicredits: amount,
      isReplay: true,
    })),
  });

  it('does not take a batch that is run again after a lost commit for a second end', async () => {
    let isAway = true;
    const activity = new LedgerActivity();
    const store = activity.watch(
      storeAnswering(async (count) => {
        if (isAway) throw new Error('The connection was lost.');
        return replays(count);
      }),
    );
    const batch = [settlementOf('acct_1')];
    await expect(store.commitBatch(batch)).rejects.toThrow('lost');
    expect(activity.takeTouchedWallets()).toEqual([]);
    isAway = false;
    await store.commitBatch(batch);
    expect(activity.doubleResolutionCount).toBe(0);
    expect(activity.takeTouchedWallets()).toEqual(['acct_1']);
    await store.commitBatch(batch);
    expect(activity.doubleResolutionCount).toBe(1);
  });

  it('asks for everything to be verified rather than remembering wallets without bound', async () => {
    const activity = new LedgerActivity();
    const store = activity.watch(storeAnswering(async (count) => replays(count)));
    const wallets = Array.from({ length: 50_001 }, (_, n) => `acct_${n}`);
    await store.commitBatch(wallets.slice(1).map(settlementOf));
    expect(activity.takeTouchedWallets()).toHaveLength(50_000);
    await store.commitBatch(wallets.map(settlementOf));
    expect(activity.takeTouchedWallets()).toBeNull();
    expect(activity.takeTouchedWallets()).toEqual([]);
  });
});
