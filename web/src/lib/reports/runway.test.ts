import { averageOfDays, burnDown, projectBalance } from './runway';

const dayMs = 86_400_000;
const noonMs = Date.UTC(2026, 10, 20, 12);

describe('the runway', () => {
  it('goes by the days since the first use where there are fewer', () => {
    expect(averageOfDays([0, 0, 0, 10, 20, 30], 7, noonMs)).toBe(24);
    expect(averageOfDays([5, 0, 0, 0, 0, 0, 0, 0, 13], 7, noonMs)).toBe(2);
    expect(averageOfDays([0, 0, 0], 7, noonMs)).toBeNull();
  });

  it('counts of today the part that has passed, so that a day’s beginning makes no pace slower', () => {
    const midnightMs = noonMs - dayMs / 2;
    expect(averageOfDays([70, 70, 70, 0], 3, midnightMs)).toBe(70);
    expect(averageOfDays([70, 70, 70, 35], 3, noonMs)).toBe(70);
    expect(averageOfDays([0, 0, 5], 7, midnightMs + 60_000)).toBe(120);
  });

  it('falls day by day to nothing and ends there, the slowest pace last', () => {
    expect(projectBalance(100, [50, 30])).toEqual([
      [100, 50, 0, null, null],
      [100, 70, 40, 10, 0],
    ]);
    expect(projectBalance(1_000_000, [1])[0]).toHaveLength(91);
    expect(projectBalance(-5, [10])).toEqual([[0, null]]);
  });
});

describe('a budget', () => {
  const nowMs = Date.UTC(2026, 10, 20);
  const key = { limit: 1_000, spent: 300, resetsAtMs: nowMs + 10 * dayMs, createdAtMs: 0, spentInWeek: 700 };

  it('stops the key where its pace meets it before it begins anew', () => {
    expect(burnDown(key, nowMs)).toEqual({ state: 'stops', atMs: nowMs + 7 * dayMs });
    expect(burnDown({ ...key, resetsAtMs: nowMs + 7 * dayMs }, nowMs)).toEqual({ state: 'lasts' });
    expect(burnDown({ ...key, spent: 1_000 }, nowMs)).toEqual({ state: 'used up' });
    expect(burnDown({ ...key, spentInWeek: 0 }, nowMs)).toEqual({ state: 'lasts' });
  });

  it('knows of a young key how long it has been in use', () => {
    expect(burnDown({ ...key, createdAtMs: nowMs - dayMs }, nowMs)).toEqual({ state: 'stops', atMs: nowMs + dayMs });
  });
});
