import { AttemptCounter } from './attempt-counter.js';

describe('AttemptCounter', () => {
  it('counts up to the bound in a window, says how long to wait, and begins anew after it', () => {
    let nowMs = 0;
    const counter = new AttemptCounter({ max: 2, windowMs: 1_000, nowMs: () => nowMs });
    expect([counter.count('a'), counter.count('a')]).toEqual([0, 0]);
    nowMs = 400;
    expect(counter.count('a')).toBe(600);
    expect(counter.count('b')).toBe(0);
    counter.forgive('a');
    expect([counter.count('a'), counter.count('a')]).toEqual([0, 600]);
    nowMs = 1_000;
    expect([counter.countOf('a'), counter.count('a'), counter.countOf('a')]).toEqual([0, 0, 1]);
  });

  it('remembers no more names than it may, and forgets the one that was counted longest ago', () => {
    const counter = new AttemptCounter({ max: 1, windowMs: 1_000, namesMax: 100, nowMs: () => 0 });
    for (let name = 0; name < 100_000; name += 1) counter.count(String(name));
    expect(counter.countOf('99900')).toBe(1);
    expect(counter.countOf('99899')).toBe(0);
  });
});
