import { MemoryAttemptCounter } from '../kernel/attempt-counter.js';
import { FakeClock } from '../kernel/clock.js';
import { FreeDisconnects } from './free-disconnects.js';

describe('FreeDisconnects', () => {
  const refusal = { code: 'rate_limit_exceeded', retryAfterMs: 60_000 };
  const assertOf = (leaves: FreeDisconnects, accountId: string) => () => leaves.assertFew(accountId);

  const open = (requestsPerMinute: number, clock: FakeClock, counters = new Map<string, MemoryAttemptCounter>()) =>
    new FreeDisconnects(requestsPerMinute, clock, (rule) => {
      const counter = counters.get(rule.kind) ?? new MemoryAttemptCounter(rule, { nowMs: () => clock.nowMs() });
      counters.set(rule.kind, counter);
      return counter;
    });

  it('turns away for a minute who left a quarter of its requests within a minute, and nobody else', async () => {
    const clock = new FakeClock();
    const leaves = open(60, clock);
    for (let left = 0; left < 14; left += 1) await leaves.note('a');
    expect(assertOf(leaves, 'a')).not.toThrow();
    await leaves.note('a');
    expect(assertOf(leaves, 'a')).toThrow(expect.objectContaining(refusal));
    expect(assertOf(leaves, 'a')).toThrow(/left 15 calls within a minute .* try again in 60 s/);
    expect(assertOf(leaves, 'b')).not.toThrow();
    clock.advanceMs(59_999);
    expect(assertOf(leaves, 'a')).toThrow();
    clock.advanceMs(1);
    expect(assertOf(leaves, 'a')).not.toThrow();
  });

  it('forgets what is older than a minute', async () => {
    const clock = new FakeClock();
    const leaves = open(60, clock);
    for (let left = 0; left < 100; left += 1) {
      await leaves.note('a');
      clock.advanceMs(5_000);
    }
    expect(assertOf(leaves, 'a')).not.toThrow();
  });

  it('lets even an account of few requests leave twice', async () => {
    const leaves = open(1, new FakeClock());
    await leaves.note('a');
    await leaves.note('a');
    expect(assertOf(leaves, 'a')).not.toThrow();
    await leaves.note('a');
    expect(assertOf(leaves, 'a')).toThrow(expect.objectContaining(refusal));
  });

  it('has all instances together grant a quarter of the requests, and each further instance one more', async () => {
    const [clock, shared] = [new FakeClock(), new Map<string, MemoryAttemptCounter>()];
    const [here, there] = [open(60, clock, shared), open(60, clock, shared)];
    for (let left = 0; left < 15; left += 1) await here.note('a');
    expect(assertOf(here, 'a')).toThrow(expect.objectContaining(refusal));
    expect(assertOf(there, 'a')).not.toThrow();
    await there.note('a');
    expect(assertOf(there, 'a')).toThrow(expect.objectContaining(refusal));
  });
});
