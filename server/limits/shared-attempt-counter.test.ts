import { MemoryAttemptCounter } from '../kernel/attempt-counter.js';
import { SharedAttemptCounter } from './shared-attempt-counter.js';
import { SharedStoreWatch } from './stores/shared-store-watch.js';

const rule = { kind: 'sign-in network', max: 3, windowMs: 60_000 };

describe('What a process has counted while the shared store was away', () => {
  let isAway: boolean;
  let counter: SharedAttemptCounter;
  beforeEach(() => {
    isAway = false;
    const shared = new MemoryAttemptCounter(rule);
    const unlessAway = <Answer>(ask: () => Promise<Answer>) => (isAway ? Promise.reject(new Error('away')) : ask());
    const store = {
      count: (id: string) => unlessAway(() => shared.count(id)),
      forgive: (id: string) => unlessAway(() => shared.forgive(id)),
      forget: (id: string) => unlessAway(() => shared.forget(id)),
    };
    counter = new SharedAttemptCounter(rule, store, new SharedStoreWatch());
  });

  const fail = async () => (await counter.count('net')).waitMs === 0;
  const succeed = async () => {
    await counter.count('net');
    await counter.forgive('net');
  };

  it('is neither forgotten when the store comes and goes, nor by attempts that were right meanwhile', async () => {
    isAway = true;
    expect([await fail(), await fail(), await fail(), await fail()]).toEqual([true, true, true, false]);
    for (let turn = 0; turn < 5; turn += 1) {
      isAway = false;
      for (let times = 0; times < 5; times += 1) await succeed();
      isAway = true;
      expect(await fail()).toBe(false);
    }
    isAway = false;
    expect([await fail(), await fail(), await fail(), await fail()]).toEqual([true, true, true, false]);
  });

  it('is taken back for an attempt that was right while the store was away', async () => {
    isAway = true;
    for (let times = 0; times < 5; times += 1) await succeed();
    expect([await fail(), await fail(), await fail(), await fail()]).toEqual([true, true, true, false]);
  });
});
