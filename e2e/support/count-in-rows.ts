import type { Locator } from 'playwright-core';

/** How many of these stand beside each other in each row, from the top; those of a row are equally high. */
export async function countInRows(things: Locator): Promise<number[]> {
  const counts = new Map<number, number>();
  for (const thing of await things.all()) {
    const topPx = Math.round((await thing.boundingBox())?.y ?? 0);
    counts.set(topPx, (counts.get(topPx) ?? 0) + 1);
  }
  return [...counts].sort(([one], [other]) => one - other).map(([, count]) => count);
}
