import { createOwnClock } from '../database/time/database-clock.js';
import { FakeClock } from '../kernel/clock.js';
import { SteadyTime } from './steady-time.js';

const hourMs = 60 * 60_000;

describe('the time by which answers become too old', () => {
  it('goes on as counted when the clock is set forward, and believes it when it has stood by that for a day', async () => {
    const clock = new FakeClock();
    const time = new SteadyTime(createOwnClock(clock), () => clock.elapsedMs());
    const startMs = clock.nowMs();
    expect(await time.readMs()).toBe(startMs);
    clock.advanceMs(hourMs);
    expect(await time.readMs()).toBe(startMs + hourMs);
    clock.setWallMs(clock.nowMs() + 25 * hourMs);
    expect(await time.readMs()).toBe(startMs + hourMs);
    clock.advanceMs(23 * hourMs);
    expect(await time.readMs()).toBe(startMs + 24 * hourMs);
    clock.advanceMs(hourMs);
    expect(await time.readMs()).toBe(clock.nowMs());
  });

  it('is that of a clock that is set back, at once, and forgets a jump that was taken back', async () => {
    const clock = new FakeClock();
    const time = new SteadyTime(createOwnClock(clock), () => clock.elapsedMs());
    const startMs = clock.nowMs();
    await time.readMs();
    for (let day = 0; day < 3; day += 1) {
      clock.setWallMs(startMs + 25 * hourMs);
      expect(await time.readMs()).toBeLessThanOrEqual(startMs + day * 12 * hourMs);
      clock.setWallMs(startMs);
      clock.advanceMs(12 * hourMs);
      expect(await time.readMs()).toBe(clock.nowMs());
      clock.setWallMs(startMs);
      expect(await time.readMs()).toBe(startMs);
    }
  });
});
