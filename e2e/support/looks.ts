import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { waitForAnimations } from './page-calm.js';

export type ColorScheme = 'light' | 'dark';
export type Width = 1280 | 768 | 390;

export interface Look {
  readonly width: Width;
  readonly colorScheme: ColorScheme;
}

/** Six looks: at 1280, 768 and 390 pixels, light and dark. */
export const everyLook: readonly Look[] = ([1280, 768, 390] as const).flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

/** TOLLGATE_LOOK_SEED repeats the looks of an earlier run. */
const seed = Number(process.env.TOLLGATE_LOOK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const isWholeRun = process.env.TOLLGATE_TEST_SCOPE === 'all';
/** A run with an end to its time, such as CI, looks at a view in two looks and in one account alone. */
const hasEnd = process.env.TOLLGATE_TURN !== undefined;
const isInEveryAccount = isWholeRun && !hasEnd;

/** What a run looks at, for the title of its suite: how to repeat it. */
export const looksInWords = isWholeRun
  ? `${isInEveryAccount ? 'at every width' : 'each in two looks and one account'}, TOLLGATE_LOOK_SEED=${seed}`
  : `each in one look and one account, TOLLGATE_LOOK_SEED=${seed}`;

/**
 * The looks in which this run sees a view, which change from run to run: three with TOLLGATE_TEST_SCOPE=all, of which a run with an end to
 * its time does two, else one. The same seed and title give the same looks, whatever else is looked at and in which order.
 */
export function chooseLooks(title: string): readonly Look[] {
  if (!isWholeRun) return [chooseLook(title, seed)];
  return hasEnd ? chooseTwoLooks(title, seed) : chooseThreeLooks(title, seed);
}

/** Two widths, one light and one dark, by the seed of a run. */
export function chooseTwoLooks(title: string, by: number): readonly Look[] {
  const three = chooseThreeLooks(title, by);
  const isAlone = ({ colorScheme }: Look) => three.filter((look) => look.colorScheme === colorScheme).length === 1;
  const others = three.filter((look) => !isAlone(look));
  const left = chooseOne(others, `the two looks of ${title}`, by);
  return three.filter((look) => isAlone(look) || look === left);
}

/** Each width once, and both colour schemes among them, by the seed of a run. */
export function chooseThreeLooks(title: string, by: number): readonly Look[] {
  // Of the three bits, one for each width, neither none nor all are set.
  const bits = chooseOne([1, 2, 3, 4, 5, 6], `the looks of ${title}`, by);
  return everyLook.filter((_, place) => ((bits >> Math.floor(place / 2)) & 1) === place % 2);
}

/** One look for a view, by the seed of a run. */
export function chooseLook(title: string, by: number): Look {
  return chooseOne(everyLook, title, by);
}

/** How much there is in an account whose pages are looked at. */
export type Amount = 'empty' | 'little' | 'crowded';

/**
 * Of views that can be looked at in accounts with different amounts of data, those that this run looks at in this one: all of
 * them with TOLLGATE_TEST_SCOPE=all, else, and in CI, each in one of the accounts, which changes from run to run.
 */
export function chooseViews<View extends { readonly title: string }>(
  views: readonly View[],
  amount: Amount,
  amounts: readonly Amount[],
): readonly View[] {
  return isInEveryAccount ? views : views.filter(({ title }) => chooseAmount(title, amounts, seed) === amount);
}

/** One amount for a view, by the seed of a run. */
export function chooseAmount(title: string, amounts: readonly Amount[], by: number): Amount {
  return chooseOne(amounts, `the amount of ${title}`, by);
}

function chooseOne<Choice>(choices: readonly Choice[], title: string, by: number): Choice {
  const number = createHash('sha256').update(`${by} ${title}`).digest().readUInt32BE();
  return choices[number % choices.length] as Choice;
}

/** Runs `look` on the page as it is, once in each of the looks. Leaves it as it was found. */
export async function forEachLook(
  page: Page,
  look: (name: string) => Promise<void>,
  looks: readonly Look[] = everyLook,
): Promise<void> {
  const viewport = page.viewportSize();
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize(viewportOf(width));
    await page.emulateMedia({ colorScheme });
    await waitForAnimations(page);
    await look(`${width}-${colorScheme}`);
  }
  if (viewport !== null) await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: null });
}

/** The window of this width. */
export function viewportOf(width: Width): { width: number; height: number } {
  return { width, height: width === 390 ? 844 : 900 };
}
