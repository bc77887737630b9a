import { MemoryAttemptCounter } from '../kernel/attempt-counter.js';
import { FakeClock } from '../kernel/clock.js';
import { FreeCalls } from './free-calls.js';

describe('FreeCalls', () => {
  const refusal = { code: 'rate_limit_exceeded', retryAfterMs: 60_000 };
  const assertOf = (freeCalls: FreeCalls, accountId: string) => () => freeCalls.assertFew(accountId);

  const open = (requestsPerMinute: number, clock: FakeClock, counters = new Map<string, MemoryAttemptCounter>()) =>
    new FreeCalls(requestsPerMinute, clock, (rule) => {
      const counter = counters.get(rule.kind) ?? new MemoryAttemptCounter(rule, { nowMs: () => clock.nowMs() });
      counters.set(rule.kind, counter);
      return counter;
    });

  it('turns away for a minute whose calls were free for a quarter of its requests within a minute, and nobody else', async () => {
    const clock = new FakeClock();
    const freeCalls = open(60, clock);
    for (let count = 0; count < 14; count += 1) await freeCalls.note('a', 10);
    expect(assertOf(freeCalls, 'a')).not.toThrow();
    await freeCalls.note('a', 10);
    expect(assertOf(freeCalls, 'a')).toThrow(expect.objectContaining(refusal));
    expect(assertOf(freeCalls, 'a')).toThrow(
      /^15 calls of this account within a minute were left .* or answered without any output.* try again in 60 s/,
    );
    expect(assertOf(freeCalls, 'b')).not.toThrow();
    clock.advanceMs(59_999);
    expect(assertOf(freeCalls, 'a')).toThrow();
    clock.advanceMs(1);
    expect(assertOf(freeCalls, 'a')).not.toThrow();
  });

  it('counts a prompt that a provider has by its length, and turns nobody away before the third', async () => {
    const freeCalls = open(60, new FakeClock());
    for (let count = 0; count < 7; count += 1) await freeCalls.note('a', 20_000);
    expect(assertOf(freeCalls, 'a')).not.toThrow();
    await freeCalls.note('a', 0);
    expect(assertOf(freeCalls, 'a')).toThrow(expect.objectContaining(refusal));
    for (const accountId of ['b', 'c']) {
      const few = accountId === 'b' ? freeCalls : open(1, new FakeClock());
      for (let count = 0; count < 2; count += 1) await few.note(accountId, 1_000_000);
      expect(assertOf(few, accountId)).not.toThrow();
      await few.note(accountId, 1_000_000);
      expect(assertOf(few, accountId)).toThrow(expect.objectContaining(refusal));
    }
  });

  it('forgets what is older than a minute', async () => {
    const clock = new FakeClock();
    const freeCalls = open(60, clock);
    for (let count = 0; count < 100; count += 1) {
      await freeCalls.note('a', 10);
      clock.advanceMs(5_000);
    }
    expect(assertOf(freeCalls, 'a')).not.toThrow();
  });

  it('lets even an account of few requests have two', async () => {
    const freeCalls = open(1, new FakeClock());
    await freeCalls.note('a', 10);
    await freeCalls.note('a', 10);
    expect(assertOf(freeCalls, 'a')).not.toThrow();
    await freeCalls.note('a', 10);
    expect(assertOf(freeCalls, 'a')).toThrow(expect.objectContaining(refusal));
  });

  it('has all instances together grant a quarter of the requests, and each further instance one more', async () => {
    const [clock, shared] = [new FakeClock(), new Map<string, MemoryAttemptCounter>()];
    const [here, there] = [open(60, clock, shared), open(60, clock, shared)];
    for (let count = 0; count < 15; count += 1) await here.note('a', 10);
    expect(assertOf(here, 'a')).toThrow(expect.objectContaining(refusal));
    expect(assertOf(there, 'a')).not.toThrow();
    await there.note('a', 10);
    expect(assertOf(there, 'a')).toThrow(expect.objectContaining(refusal));
  });
});
