import { AccountCache } from './account-cache.js';
import { FakeClock } from './clock.js';

describe('What is remembered of an account', () => {
  it.each([
    ['5 seconds where nothing would be heard of a change', false, 5_000],
    ['its time where changes are heard of', true, 60_000],
  ])('is read again after %s, though the clock is set back meanwhile', async (_, isUpToDate, keptMs) => {
    const clock = new FakeClock();
    let value = 'before';
    const cache = new AccountCache({
      ...{ clock, watchedMsMax: 60_000, read: async () => value },
      watch: { isUpToDate, onChange: () => {} },
    });
    expect(await cache.find('acct_1')).toBe('before');
    value = 'after';
    clock.setWallMs(clock.nowMs() - 3_600_000);
    clock.advanceMs(keptMs - 1);
    expect(await cache.find('acct_1')).toBe('before');
    clock.advanceMs(1);
    expect(await cache.find('acct_1')).toBe('after');
  });
});
