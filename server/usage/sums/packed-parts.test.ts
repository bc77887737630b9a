import { SeededChoices } from '../../test/seeded-choices.js';
import { SharedPacks } from './pack-memory.js';
import { PackSummer } from './pack-summer.js';
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

  it('that were kept are added as they were read, those of a set that was wrong are read again, and all are let go of where there is no more room', () => {
    const packs = packParts(makeParts(12, 3), columns);
    const set = { id: 'us_1', sums: sumTexts(packs) ?? noUse, packs };
    const shared = new SharedPacks();
    const add = (one: typeof set) => {
      const summer = new PackSummer({ columns: ['model'], filter: {} }, shared.forQuestion());
      return summer.addSet(one, 5) ? summer.list() : null;
    };
    expect(add({ ...set, packs: ['x'] })).toBeNull();
    const rows = add(set);
    expect(rows).not.toBeNull();
    expect(add({ ...set, packs: ['x'] })).toEqual(rows);
    expect(add({ ...set, sums: { ...set.sums, calls: 1 }, packs: ['x'] })).toBeNull();
    const largePacks = Array.from({ length: 20_000 }, () => packs).flat();
    const large = { id: 'us_2', sums: sumTexts(largePacks) ?? noUse, packs: largePacks };
    expect(add(large)).not.toBeNull();
    expect(add({ ...large, packs: ['x'] })).toBeNull();
    expect(shared.forQuestion().packs.find(set)).toBeNull();
    expect(add(set)).toEqual(rows);
  });

  it('leave nothing behind of a filter with values that none of them has', () => {
    const packs = packParts(makeParts(12, 3), columns);
    const shared = new SharedPacks();
    const summer = new PackSummer({ columns: [], filter: { model: ['m1', 'nobody'] } }, shared.forQuestion());
    expect(summer.addSet({ id: 'us_1', sums: sumTexts(packs) ?? noUse, packs }, 5)).toBe(true);
    const { numbers } = shared.forQuestion().packs;
    expect(numbers.find('completed')).toBeDefined();
    expect(numbers.find('nobody')).toBeUndefined();
  });

  it('that are none are no text', () => {
    expect(packParts([], columns)).toEqual([]);
  });
});
