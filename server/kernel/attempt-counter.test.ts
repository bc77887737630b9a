import { MemoryAttemptCounter } from './attempt-counter.js';

describe('MemoryAttemptCounter', () => {
  it('counts up to the bound in a window, says how long to wait, and begins anew after it', async () => {
    let nowMs = 0;
    const counter = new MemoryAttemptCounter({ max: 2, windowMs: 1_000 }, { nowMs: () => nowMs });
    const waitFor = async (name: string) => (await counter.count(name)).waitMs;
    expect([await waitFor('a'), await waitFor('a')]).toEqual([0, 0]);
    nowMs = 400;
    expect(await waitFor('a')).toBe(600);
    expect(await waitFor('b')).toBe(0);
    await counter.forgive('a');
    expect([await waitFor('a'), await waitFor('a')]).toEqual([0, 600]);
    nowMs = 1_000;
    expect(await counter.count('a')).toEqual({ waitMs: 0, count: 1, endsInMs: 1_000 });
  });

  it('remembers no more names than it may, and forgets the one that was counted longest ago', async () => {
    const counter = new MemoryAttemptCounter({ max: 1, windowMs: 1_000 }, { namesMax: 100, nowMs: () => 0 });
    for (let name = 0; name < 100_000; name += 1) await counter.count(String(name));
    expect((await counter.count('99901')).waitMs).toBe(1_000);
    expect((await counter.count('99899')).waitMs).toBe(0);
  });
});
