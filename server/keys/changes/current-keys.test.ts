import { FakeClock } from '../../kernel/clock.js';
import { type ChangedKey, CurrentKeys, type KnownKey, type ReadKey } from './current-keys.js';

describe('CurrentKeys', () => {
  let clock: FakeClock;
  let hasRight: boolean;
  let keys: CurrentKeys;
  const read = (keyId: string, others: Partial<ReadKey> = {}): ReadKey => ({
    ...{ keyId, accountId: 'acct_1', revision: 0, expiresAtMs: null },
    ...others,
  });
  const know = (keyId: string, others: Partial<ReadKey> = {}) =>
    keys.know(keys.position, read(keyId, others)) as KnownKey;

  beforeEach(() => {
    clock = new FakeClock();
    hasRight = true;
    keys = new CurrentKeys(clock, () => hasRight);
  });

  it('takes a key for current at the revision that was read, and at no other', () => {
    know('key_1', { revision: 3 });
    expect([2, 3, 4, undefined].map((revision) => keys.isCurrent('key_1', revision))).toEqual([
      ...[false, true, false, false],
    ]);
    expect(keys.isCurrent('key_2', 3)).toBe(false);
  });

  it('knows of no key while changes could not be read', () => {
    know('key_1');
    hasRight = false;
    expect(keys.isCurrent('key_1', 0)).toBe(false);
    hasRight = true;
    expect(keys.isCurrent('key_1', 0)).toBe(true);
  });

  it('takes a key for current until it expires', () => {
    know('key_1', { expiresAtMs: clock.nowMs() + 1_000 });
    clock.advanceMs(999);
    expect(keys.isCurrent('key_1', 0)).toBe(true);
    clock.advanceMs(1);
    expect(keys.isCurrent('key_1', 0)).toBe(false);
  });

  it('takes a key for current for as long as it may, though the clock is set back meanwhile', () => {
    keys = new CurrentKeys(clock, () => hasRight, 5_000);
    know('key_1');
    clock.setWallMs(clock.nowMs() - 3_600_000);
    clock.advanceMs(4_999);
    expect(keys.isCurrent('key_1', 0)).toBe(true);
    clock.advanceMs(1);
    expect(keys.isCurrent('key_1', 0)).toBe(false);
  });

  it('drops a changed key, all keys of a changed account, or all, and tells of each', () => {
    const told: (ChangedKey | null)[] = [];
    keys.onChange((changed) => told.push(changed));
    const [one, two, other] = [know('key_1'), know('key_2'), know('key_3', { accountId: 'acct_2' })];
    const standings = () => [one, two, other].map(({ standing }) => standing);
    keys.drop({ accountId: 'acct_1', keyId: 'key_1' });
    expect(standings()).toEqual(['changed', 'unchanged', 'unchanged']);
    keys.drop({ accountId: 'acct_1', keyId: null });
    expect(standings()).toEqual(['changed', 'changed', 'unchanged']);
    keys.dropAll();
    expect(standings()).toEqual(['changed', 'changed', 'changed']);
    expect(['key_1', 'key_2', 'key_3'].filter((keyId) => keys.isCurrent(keyId, 0))).toEqual([]);
    expect(told).toEqual([{ accountId: 'acct_1', keyId: 'key_1' }, { accountId: 'acct_1', keyId: null }, null]);
  });

  it('does not take what was read before a change for what stands after it', () => {
    const { position } = keys;
    keys.drop({ accountId: 'acct_1', keyId: 'key_1' });
    expect(keys.know(position, read('key_1'))).toBeNull();
    expect(keys.isCurrent('key_1', 0)).toBe(false);
    know('key_1', { revision: 1 });
    expect(keys.isCurrent('key_1', 1)).toBe(true);
  });

  it('drops what was read before when the key is read at another revision, which nobody has told of', () => {
    const earlier = know('key_1');
    expect(know('key_1')).toBe(earlier);
    expect(know('key_1', { revision: 1 }).standing).toBe('unchanged');
    expect(earlier.standing).toBe('changed');
    expect([0, 1].map((revision) => keys.isCurrent('key_1', revision))).toEqual([false, true]);
  });

  it('keeps 50,000 keys, and says of the oldest beyond them that nothing more is heard of it', () => {
    const first = know('key_0');
    for (let number = 1; number <= 50_000; number += 1) know(`key_${number}`);
    expect(first.standing).toBe('forgotten');
    expect([keys.isCurrent('key_0', 0), keys.isCurrent('key_1', 0)]).toEqual([false, true]);
  });
});
