import type { Locator } from 'playwright-core';

/** How many of these stand beside each other in each row, from the top; those of a row are equally high. */
export async function countInRows(things: Locator): Promise<number[]> {
  const counts = new Map<number, number>();
  // All at one moment: one by one, a page that scrolls meanwhile has them in several rows.
  const topsPx = await things.evaluateAll((all) => all.map((thing) => Math.round(thing.getBoundingClientRect().top)));
  for (const topPx of topsPx) counts.set(topPx, (counts.get(topPx) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => one - other).map(([, count]) => count);
}
