import { SeededChoices } from '../../test/seeded-choices.js';
import { PackMemory, PackSummer } from './pack-summer.js';
import { packParts, sumTexts } from './packed-parts.js';
import { noUse } from './usage-sums.js';

const seed = Number(process.env.TOLLGATE_SAMPLE_SEED ?? Math.floor(Math.random() * 1_000_000));
const choices = new SeededChoices(seed);
const columns = ['model', 'end_user', 'outcome'] as const;
const sums = ['calls', 'failedCalls', 'promptTokens', 'completionTokens', 'chargedMillicredits'] as const;

function makeParts(count: number, userLength: number) {
  return Array.from({ length: count }, (_, n) => ({
    ...{ model: choices.oneOf(['m1', 'm2', '__proto__']), outcome: choices.oneOf(['completed', 'failed']) },
    end_user: choices.chance(10) ? '' : `${n % 70}`.padStart(userLength, 'ü'),
    ...Object.fromEntries(sums.map((sum) => [sum, choices.below(9_000_000_000_000)])),
    ...(choices.chance(30)
      ? { cachedTokens: null, reasoningTokens: null }
      : { cachedTokens: choices.below(9), reasoningTokens: 2 }),
  })) as Record<string, string | number | null>[];
}

/** The same sums in other words, by name. */
function sumPlainly(parts: ReturnType<typeof makeParts>, by: readonly string[]) {
  const groups = new Map<string, Record<string, number>>();
  for (const part of parts) {
    const name = JSON.stringify(by.map((column) => part[column]));
    const group = groups.get(name) ?? { toldCalls: 0 };
    groups.set(name, group);
    for (const sum of [...sums, 'cachedTokens', 'reasoningTokens']) group[sum] = (group[sum] ?? 0) + Number(part[sum]);
    if (part.cachedTokens !== null) group.toldCalls = Number(group.toldCalls) + Number(part.calls);
  }
  return groups;
}

describe(`Packed parts (seed ${seed})`, () => {
  it.each([
    [[], {}],
    [['model'], {}],
    [['end_user', 'model'], {}],
    [['outcome'], { model: ['m1', '__proto__', 'none'], end_user: ['', `${7}`.padStart(190, 'ü')] }],
    [['model'], { outcome: ['none'] }],
  ] as [string[], Record<string, string[]>][])(
    'come to what the parts do, by %j of %j, in texts that a row has room for',
    (by, filter) => {
      const parts = makeParts(700, 190);
      const packs = packParts(parts, columns);
      expect(packs.length).toBeGreaterThan(1);
      expect(Math.max(...packs.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(60_000);
      const summer = new PackSummer({ columns: by, filter });
      expect(summer.addSet({ id: 'us_1', sums: sumTexts(packs) ?? noUse, packs }, 5)).toBe(true);
      const wanted = parts.filter((part) =>
        Object.entries(filter).every(([column, of]) => of.includes(String(part[column]))),
      );
      const found = summer.list().map(({ hourMs, ...row }) => {
        expect(hourMs).toBe(5);
        const names = by.map((column) => [row[column], delete (row as Record<string, unknown>)[column]][0]);
        return [JSON.stringify(names), row] as const;
      });
      expect(new Map(found)).toEqual(sumPlainly(wanted, by));
    },
  );

  it('of several times are told apart by them', () => {
    const packs = packParts(makeParts(1, 3), columns);
    const set = { id: 'us_1', sums: sumTexts(packs) ?? noUse, packs };
    const summer = new PackSummer({ columns: [], filter: {} });
    for (const hourMs of [1, 2, 1]) expect(summer.addSet(set, hourMs)).toBe(true);
    const [twice, once] = summer.list();
    expect([twice?.hourMs, once?.hourMs]).toEqual([1, 2]);
    expect(Number(twice?.chargedMillicredits)).toBe(2 * Number(once?.chargedMillicredits));
  });

  it.each([
    ['another figure', (text: string) => text.replace('"calls":[', '"calls":[1')],
    ['no text of ours', () => 'x'],
    ['a part that misses a value', (text: string) => text.replace('"at":[', '"at":[99,')],
    ['a list that is shorter', (text: string) => text.replace(/"cachedTokens":\[[^,\]]*,?/, '"cachedTokens":[')],
    ['a column less', (text: string) => text.replace('"model"', '"mode"')],
  ])('with %s are not added, nor is any other of their set', (_, change) => {
    const packs = packParts(makeParts(700, 190), columns);
    const sums = sumTexts(packs) ?? noUse;
    const summer = new PackSummer({ columns: ['model'], filter: {} });
    const [first = '', ...others] = packs;
    expect(change(first)).not.toBe(first);
    expect(summer.addSet({ id: 'us_1', sums, packs: [...others, change(first)] }, 5)).toBe(false);
    expect(summer.list()).toEqual([]);
  });

  it('that were kept are added as they were read, those of a set that was wrong are read again, and no more are kept than there is room', () => {
    const packs = packParts(makeParts(12, 3), columns);
    const set = { id: 'us_1', sums: sumTexts(packs) ?? noUse, packs };
    const memory = new PackMemory();
    const add = (one: typeof set) => new PackSummer({ columns: ['model'], filter: {} }, memory).addSet(one, 5);
    expect(add({ ...set, packs: ['x'] })).toBe(false);
    expect(add(set)).toBe(true);
    expect(add({ ...set, packs: ['x'] })).toBe(true);
    const large = { ...set, id: 'us_2', packs: Array.from({ length: 20_000 }, () => packs).flat() };
    expect(add({ ...large, sums: sumTexts(large.packs) ?? noUse })).toBe(true);
    expect(memory.find('us_2')).toBeNull();
  });

  it('that are none are no text', () => {
    expect(packParts([], columns)).toEqual([]);
  });
});
