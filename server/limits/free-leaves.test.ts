import { FakeClock } from '../kernel/clock.js';
import { FreeLeaves } from './free-leaves.js';

describe('FreeLeaves', () => {
  const refusal = { code: 'rate_limit_exceeded', retryAfterMs: 60_000 };
  const assertOf = (leaves: FreeLeaves, accountId: string) => () => leaves.assertFew(accountId);

  it('turns away for a minute who left a quarter of its requests within a minute, and nobody else', () => {
    const clock = new FakeClock();
    const leaves = new FreeLeaves(60, clock);
    for (let left = 0; left < 14; left += 1) leaves.note('a');
    expect(assertOf(leaves, 'a')).not.toThrow();
    leaves.note('a');
    expect(assertOf(leaves, 'a')).toThrow(expect.objectContaining(refusal));
    expect(assertOf(leaves, 'a')).toThrow(/left 15 calls within a minute .* try again in 60 s/);
    expect(assertOf(leaves, 'b')).not.toThrow();
    clock.advanceMs(59_999);
    expect(assertOf(leaves, 'a')).toThrow();
    clock.advanceMs(1);
    expect(assertOf(leaves, 'a')).not.toThrow();
  });

  it('forgets what is older than a minute', () => {
    const clock = new FakeClock();
    const leaves = new FreeLeaves(60, clock);
    for (let left = 0; left < 100; left += 1) {
      leaves.note('a');
      clock.advanceMs(5_000);
    }
    expect(assertOf(leaves, 'a')).not.toThrow();
  });

  it('lets even an account of few requests leave twice', () => {
    const leaves = new FreeLeaves(1, new FakeClock());
    leaves.note('a');
    leaves.note('a');
    expect(assertOf(leaves, 'a')).not.toThrow();
    leaves.note('a');
    expect(assertOf(leaves, 'a')).toThrow(expect.objectContaining(refusal));
  });
});
