import { labelledBars, placeLabel, valueTicks } from './axis-ticks';

describe('labelledBars', () => {
  it('are evenly spaced, end with the newest, and never more than fit', () => {
    for (const count of [1, 2, 24, 30, 31, 60, 90, 365, 400]) {
      for (const labelsMax of [1, 4, 6, 12]) {
        const labelled = labelledBars(count, labelsMax);
        expect(labelled.length).toBeLessThanOrEqual(labelsMax);
        expect(labelled.at(-1)).toBe(count - 1);
        const gaps = new Set(labelled.slice(1).map((index, at) => index - (labelled[at] ?? 0)));
        expect(gaps.size).toBeLessThanOrEqual(1);
      }
    }
    expect(labelledBars(30, 6)).toEqual([5, 11, 17, 23, 29]);
  });
});

describe('valueTicks', () => {
  it('are whole, evenly spaced, never above the largest value, within a step of it, and five at most', () => {
    for (const max of [0, 1, 3, 7, 99, 100, 101, 180, 1_234, 9_999, 2_727_891]) {
      const ticks = valueTicks(max);
      expect(ticks[0]).toBe(0);
      expect(ticks.at(-1)).toBeLessThanOrEqual(max);
      expect((ticks.at(-1) ?? 0) + (ticks[1] ?? 1)).toBeGreaterThan(max);
      expect(ticks.length).toBeLessThanOrEqual(5);
      expect(ticks.every(Number.isInteger)).toBe(true);
    }
    expect(valueTicks(180)).toEqual([0, 50, 100, 150]);
  });
});

describe('placeLabel', () => {
  it('keeps the first and the last label inside a narrow chart, and centres the others below their bars', () => {
    expect(placeLabel(89, 90, 260)).toEqual({ right: 0, translate: 'none' });
    expect(placeLabel(0, 90, 260)).toEqual({ left: 0, translate: 'none' });
    expect(placeLabel(1, 3, 260)).toEqual({ left: '50%' });
    // Of few bars each is wide enough for its label.
    expect(placeLabel(2, 3, 260)).toEqual({ left: `${(2.5 / 3) * 100}%` });
  });
});
