import type { TrafficCounts } from './instance-report.js';
import { TrafficWindow } from './traffic-window.js';

const counts = (calls: number): TrafficCounts => ({
  ...{ calls, failedCalls: 0, refusals: 0, tokens: calls * 10, commits: 0, operations: 0 },
});

describe('The last minute of a process', () => {
  it('is everything since its start while that is less than a minute ago', () => {
    const window = new TrafficWindow(1_000, counts(0));
    expect(window.add(6_000, counts(3))).toMatchObject({ lengthMs: 5_000, calls: 3, tokens: 30 });
    expect(window.add(11_000, counts(4))).toMatchObject({ lengthMs: 10_000, calls: 4 });
  });

  it('forgets what is older', () => {
    const window = new TrafficWindow(0, counts(0));
    for (let second = 5; second <= 60; second += 5) window.add(second * 1_000, counts(second));
    expect(window.add(65_000, counts(65))).toMatchObject({ lengthMs: 60_000, calls: 60 });
  });

  it('says how long it was after a process stood still for longer than that', () => {
    const window = new TrafficWindow(0, counts(0));
    window.add(5_000, counts(7));
    expect(window.add(305_000, counts(9))).toMatchObject({ lengthMs: 300_000, calls: 2 });
    expect(window.add(310_000, counts(10))).toMatchObject({ lengthMs: 5_000, calls: 1 });
  });
});
