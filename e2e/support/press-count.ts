import type { Page } from 'playwright-core';

const read = `Number(sessionStorage.getItem('presses that were counted'))`;
// What a script of the page presses is not counted.
const listen = `window.addEventListener('pointerdown', (event) => {
  if (event.isTrusted) sessionStorage.setItem('presses that were counted', ${read} + 1);
}, true)`;

/** Counts from now on how often the mouse is pressed on the page, also once it was loaded anew. */
export async function countPresses(page: Page): Promise<{ read(): Promise<number> }> {
  await page.addInitScript(listen);
  await page.evaluate(listen);
  return { read: () => page.evaluate<number>(read) };
}
