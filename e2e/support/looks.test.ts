import { chooseAmount, chooseLook, chooseThreeLooks, chooseTwoLooks, everyLook } from './looks.js';
import { pagesInside, viewsOutside } from './page-views.js';

const titles = [...viewsOutside, ...pagesInside].map(({ title }) => title);

describe('the look that a run takes at a view', () => {
  it('is the same for the same seed, and differs from view to view', () => {
    const looks = titles.map((title) => chooseLook(title, 42));
    expect(titles.map((title) => chooseLook(title, 42))).toEqual(looks);
    expect(new Set(looks).size).toBeGreaterThan(3);
  });

  it('comes to every look there is, for each view, from run to run', () => {
    for (const title of titles) {
      const runs = Array.from({ length: 100 }, (_, run) => chooseLook(title, 7_919 * run));
      expect(new Set(runs)).toEqual(new Set(everyLook));
    }
  });

  it('is one of three in the long run: each width once, both colour schemes, and every look from run to run', () => {
    for (const title of titles) {
      const runs = Array.from({ length: 100 }, (_, run) => chooseThreeLooks(title, 7_919 * run));
      for (const looks of runs) {
        expect(looks.map(({ width }) => width)).toEqual([1280, 768, 390]);
        expect(new Set(looks.map(({ colorScheme }) => colorScheme)).size).toBe(2);
      }
      expect(new Set(runs.flat())).toEqual(new Set(everyLook));
    }
  });

  it('is one of two in a run with an end to its time: two widths, one light and one dark, and every look from run to run', () => {
    for (const title of titles) {
      const runs = Array.from({ length: 100 }, (_, run) => chooseTwoLooks(title, 7_919 * run));
      for (const looks of runs) {
        expect(new Set(looks.map(({ width }) => width)).size).toBe(2);
        expect(looks.map(({ colorScheme }) => colorScheme).sort()).toEqual(['dark', 'light']);
      }
      expect(new Set(runs.flat())).toEqual(new Set(everyLook));
    }
  });

  it('is in one account for the same seed, and comes to every account from run to run', () => {
    const amounts = ['empty', 'little', 'crowded'] as const;
    for (const title of titles) {
      expect(chooseAmount(title, amounts, 42)).toBe(chooseAmount(title, amounts, 42));
      const runs = Array.from({ length: 100 }, (_, run) => chooseAmount(title, amounts, 7_919 * run));
      expect(new Set(runs)).toEqual(new Set(amounts));
    }
  });
});
