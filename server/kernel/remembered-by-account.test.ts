import { FakeClock } from './clock.js';
import { RememberedByAccount } from './remembered-by-account.js';

describe('What is remembered of an account', () => {
  it.each([
    ['5 seconds where nothing would be heard of a change', false, 5_000],
    ['its time where changes are heard of', true, 60_000],
  ])('is read again after %s, though the clock is set back meanwhile', async (_, isTold, keptMs) => {
    const clock = new FakeClock();
    let value = 'before';
    const remembered = new RememberedByAccount({
      ...{ clock, toldForMs: 60_000, read: async () => value },
      watch: { isTold, onChange: () => {} },
    });
    expect(await remembered.find('acct_1')).toBe('before');
    value = 'after';
    clock.setWallMs(clock.nowMs() - 3_600_000);
    clock.advanceMs(keptMs - 1);
    expect(await remembered.find('acct_1')).toBe('before');
    clock.advanceMs(1);
    expect(await remembered.find('acct_1')).toBe('after');
  });
});
