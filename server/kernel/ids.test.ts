import { mock } from 'node:test';
import { FakeClock } from './clock.js';
import { createId, timeOfId, withIdsOfClock } from './ids.js';

describe('An id', () => {
  let nowMs = Date.UTC(2026, 0, 1);
  beforeEach(() => {
    mock.method(Date, 'now', () => nowMs);
  });
  afterEach(() => mock.restoreAll());

  it.each([1_001, 86_400_000, 40 * 86_400_000])(
    'tells when it was made, also after the clock was ahead by %d ms and is set right',
    (aheadMs) => {
      nowMs += aheadMs;
      expect(timeOfId(createId('call'))).toBe(nowMs);
      nowMs -= aheadMs;
      const ids = Array.from({ length: 100 }, () => createId('call'));
      expect(new Set(ids.map(timeOfId))).toEqual(new Set([nowMs]));
      expect(ids).toEqual([...new Set(ids)].sort());
    },
  );

  it('sorts behind those before it while the clock goes back by less than a second, and tells its time to a second', () => {
    const ids = [0, -1, -400, -999, -300].map((byMs) => {
      mock.restoreAll();
      mock.method(Date, 'now', () => nowMs + byMs);
      return createId('call');
    });
    expect(ids).toEqual(ids.toSorted());
    expect(Math.max(...ids.map((id) => timeOfId(id) - nowMs))).toBeLessThanOrEqual(1_000);
  });

  it('is of the time of a clock of one’s own where one is given, also behind what is awaited, and nowhere else', async () => {
    const clock = new FakeClock(nowMs - 40 * 86_400_000);
    const older = withIdsOfClock(clock, async () => {
      await Promise.resolve();
      return createId('call');
    });
    expect(timeOfId(createId('call'))).toBe(nowMs);
    expect(timeOfId(await older)).toBe(clock.nowMs());
    expect(timeOfId(createId('call'))).toBe(nowMs);
  });
});
