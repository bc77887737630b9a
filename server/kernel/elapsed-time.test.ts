import { ElapsedTime } from './elapsed-time.js';

describe('Elapsed time', () => {
  let monotonicMs = 0;
  let wallMs = 0;
  const begin = () => {
    const elapsed = new ElapsedTime(
      () => monotonicMs,
      () => wallMs,
    );
    const beganMs = elapsed.readMs();
    return () => elapsed.readMs() - beganMs;
  };
  const pass = (ms: number) => {
    monotonicMs += ms;
    wallMs += ms;
  };

  beforeEach(() => {
    monotonicMs = 5_000;
    wallMs = 1_700_000_000_000;
  });

  it('counts what both clocks have counted', () => {
    const readMs = begin();
    pass(1_500);
    expect(readMs()).toBe(1_500);
  });

  it('counts the sleep of a machine, which its wall clock alone has seen', () => {
    const readMs = begin();
    wallMs += 60_000;
    pass(1_000);
    expect(readMs()).toBe(61_000);
  });

  it('goes on while the wall clock is set back, and after it was ahead for a while', () => {
    const readMs = begin();
    wallMs -= 3_600_000;
    pass(1_000);
    expect(readMs()).toBe(1_000);
    wallMs += 7_200_000;
    const aheadMs = readMs();
    wallMs -= 3_600_000;
    for (let second = 1; second <= 10; second += 1) {
      pass(1_000);
      expect(readMs()).toBe(aheadMs + second * 1_000);
    }
  });

  it('goes no quicker however often it is read between two milliseconds of the wall clock', () => {
    const readMs = begin();
    const beganWallMs = wallMs;
    for (let n = 1; n <= 10_000; n += 1) {
      monotonicMs += 0.1;
      wallMs = beganWallMs + Math.floor(n / 10);
      readMs();
    }
    expect(readMs()).toBeGreaterThanOrEqual(999);
    expect(readMs()).toBeLessThanOrEqual(1_011);
  });

  it('counts once what passes between its readings of the two clocks, as on a busy machine', () => {
    let standstillMs = 0;
    const elapsed = new ElapsedTime(
      () => monotonicMs,
      () => {
        pass(standstillMs);
        const readMs = wallMs;
        pass(standstillMs);
        return readMs;
      },
    );
    const [beganMs, beganMonotonicMs] = [elapsed.readMs(), monotonicMs];
    standstillMs = 100;
    for (let n = 0; n < 50; n += 1) expect(elapsed.readMs() - beganMs).toBe(monotonicMs - beganMonotonicMs);
  });

  it('misses no sleep, however short each one is', () => {
    const readMs = begin();
    for (let n = 0; n < 1_000; n += 1) {
      wallMs += 3;
      readMs();
    }
    expect(readMs()).toBeGreaterThanOrEqual(2_990);
  });
});
