import { MemoryItemStore } from './item-store.js';

const keptMs = 1_000;

function openStore() {
  const clock = { nowMs: 5 };
  const store = new MemoryItemStore({ keptMs, bytesOfAccountMax: 100, bytesMax: 250 }, () => clock.nowMs);
  const keep = (accountId: string, answerId: string, bytes: number) =>
    store.keep({ accountId, answerId, sealed: Buffer.alloc(bytes, answerId) });
  const find = async (accountId: string, ...answerIds: string[]) => [
    ...(await store.find(accountId, answerIds)).keys(),
  ];
  return { clock, store, keep, find };
}

describe('The items that one process keeps', () => {
  it('are found by their account and no other, until their time is over', async () => {
    const { clock, store, keep, find } = openStore();
    expect(await keep('one', 'a', 10)).toBe(true);
    expect(await find('one', 'a', 'unknown')).toEqual(['a']);
    expect(await find('other', 'a')).toEqual([]);
    clock.nowMs += keptMs - 1;
    expect(await find('one', 'a')).toEqual(['a']);
    clock.nowMs += 1;
    expect(await find('one', 'a')).toEqual([]);
    expect(store.bytes).toBe(0);
    store.close();
  });

  it('make room for newer ones of their account, the oldest first, and what is too much by itself is not kept', async () => {
    const { store, keep, find } = openStore();
    await keep('one', 'a', 40);
    await keep('one', 'b', 40);
    await keep('other', 'c', 90);
    await keep('one', 'd', 50);
    expect(await find('one', 'a', 'b', 'd')).toEqual(['b', 'd']);
    expect(await find('other', 'c')).toEqual(['c']);
    expect(await keep('one', 'e', 101)).toBe(false);
    expect(await find('one', 'b', 'd')).toEqual(['b', 'd']);
    store.close();
  });

  it('never take more than there is for all accounts', async () => {
    const { store, keep, find } = openStore();
    for (const accountId of ['one', 'two', 'three', 'four', 'five']) {
      await keep(accountId, `of ${accountId}`, 90);
      expect(store.bytes).toBeLessThanOrEqual(250);
    }
    expect(await find('three', 'of three')).toEqual([]);
    expect(await find('five', 'of five')).toEqual(['of five']);
    expect(store.bytes).toBe(180);
    store.close();
  });

  it('are counted once when they come twice', async () => {
    const { store, keep } = openStore();
    await keep('one', 'a', 40);
    await keep('one', 'a', 60);
    expect(store.bytes).toBe(60);
    store.close();
  });
});
