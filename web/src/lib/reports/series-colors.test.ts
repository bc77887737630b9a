import { type ColorStorage, colorCount, SeriesColors } from './series-colors';

function memoryStorage(): ColorStorage {
  const kept = new Map<string, string>();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
}

describe('SeriesColors', () => {
  const names = Array.from({ length: colorCount }, (_, index) => `model-${index}`);

  it('gives as many series as there are colours a colour each', () => {
    const colors = new SeriesColors(null);
    expect(new Set(names.map((name) => colors.numberOf('model', name))).size).toBe(colorCount);
  });

  it('keeps the colour of a series, whatever comes before it on another page or visit', () => {
    const storage = memoryStorage();
    const first = new SeriesColors(storage);
    const given = names.map((name) => first.numberOf('model', name));
    const later = new SeriesColors(storage);
    const reversed = [...names].reverse().map((name) => later.numberOf('model', name));
    expect(reversed.reverse()).toEqual(given);
  });

  it('takes keys and models for different series, and has a colour for the thirteenth', () => {
    const colors = new SeriesColors(null);
    for (const name of names) colors.numberOf('model', name);
    expect(colors.numberOf('model', 'one-more')).toBeLessThan(colorCount);
    expect(colors.numberOf('key', 'one-more')).toBeLessThan(colorCount);
  });

  it('gives no two series of one chart the same colour while there are enough, and each its own elsewhere', () => {
    const colors = new SeriesColors(null);
    const many = Array.from({ length: 40 }, (_, index) => `model-${index}`);
    const alone = many.map((name) => colors.numberOf('model', name));
    for (let from = 0; from + colorCount <= many.length; from += 1) {
      const drawn = colors.numbersOf('model', many.slice(from, from + colorCount));
      expect(new Set(drawn).size).toBe(colorCount);
      expect(drawn[0]).toBe(alone[from]);
    }
    expect(colors.numbersOf('model', many)).toHaveLength(many.length);
    expect(many.map((name) => colors.numberOf('model', name))).toEqual(alone);
  });

  it('takes what it cannot read for nothing', () => {
    for (const text of ['{', '{}', '[[1,2],["model a",99],["model b",3]]']) {
      const storage = { ...memoryStorage(), getItem: () => text };
      expect(new SeriesColors(storage).numberOf('model', 'a')).toBeLessThan(colorCount);
    }
  });
});
