import { FakeClock } from '../../kernel/clock.js';
import { createSteadyClock } from './steady-clock.js';

const hourMs = 3_600_000;

describe('A clock that is judged by what this process has counted', () => {
  it('goes on as counted when it is set forward, and is believed when it has stood by that for a day', () => {
    const clock = new FakeClock();
    const steady = createSteadyClock(clock, () => 0);
    const beganMs = clock.nowMs();
    clock.advanceMs(hourMs);
    expect(steady.nowMs()).toBe(beganMs + hourMs);
    clock.setWallMs(clock.nowMs() + 30 * 24 * hourMs);
    expect(steady.nowMs()).toBe(beganMs + hourMs);
    clock.advanceMs(23 * hourMs);
    expect(steady.nowMs()).toBe(beganMs + 24 * hourMs);
    clock.advanceMs(hourMs);
    expect(steady.nowMs()).toBe(clock.nowMs());
  });

  it('is believed at once when it is set back, also to what it was before it was set forward', () => {
    const clock = new FakeClock();
    const steady = createSteadyClock(clock, () => 0);
    const beganMs = clock.nowMs();
    for (const atMs of [beganMs + 48 * hourMs, beganMs, beganMs - 48 * hourMs]) {
      clock.setWallMs(atMs);
      expect(steady.nowMs()).toBe(Math.min(atMs, beganMs));
    }
  });

  it('is believed at once behind a sleep of the machine, which its clock has counted and this process has not', () => {
    const clock = new FakeClock();
    let uptimeMs = 5_000;
    const steady = createSteadyClock(clock, () => uptimeMs);
    uptimeMs += 8 * hourMs;
    clock.setWallMs(clock.nowMs() + 8 * hourMs);
    expect(steady.nowMs()).toBe(clock.nowMs());
    const awakeMs = clock.nowMs();
    clock.setWallMs(awakeMs + 24 * hourMs);
    expect(steady.nowMs()).toBe(awakeMs);
  });
});
