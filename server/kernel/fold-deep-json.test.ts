import fc from 'fast-check';
import { foldDeepJson, foldWithin } from './fold-deep-json.js';

/** What of a value is left once whatever lies deeper than so many levels is written as text. */
function fold(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map((item) => fold(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fold(item, levels - 1)]));
}

describe('foldDeepJson', () => {
  it('writes what lies deeper than the levels as the text that it is, and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 7 }), (value, levels) => {
        // `-0` and `__proto__` are written in one way and read in another.
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.parse(foldDeepJson(JSON.stringify(plain), levels))).toEqual(fold(plain, levels));
      }),
    );
  });

  it('takes brackets and quotes inside of texts for texts', () => {
    expect(foldDeepJson('[["]\\"[",{"a":"\\\\"}],"[["]', 1)).toBe(`[${JSON.stringify('["]\\"[",{"a":"\\\\"}]')},"[["]`);
  });

  it('leaves what is no JSON for the parser to refuse', () => {
    for (const text of ['[[[', ']]]', '[["', '{"a":[[}', '']) expect(() => JSON.parse(foldDeepJson(text, 1))).toThrow();
  });
});

describe('foldWithin', () => {
  it('gives null for more values than allowed, however deep they lie', () => {
    const limits = { valuesMax: 2_000, levelsMax: 10 };
    const deep = (items: number) => `${'['.repeat(20)}${Array(items).fill('1').join(',')}${']'.repeat(20)}`;
    expect(foldWithin(deep(3_000), limits)).toBeNull();
    expect(JSON.parse(String(foldWithin(deep(1_500), limits))).flat(10)).toEqual([deep(1_500).slice(10, -10)]);
  });
});
