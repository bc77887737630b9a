import type { Page, Request } from 'playwright-core';

const openRequests = new WeakMap<Page, Set<Request>>();

/**
 * Remembers from now on which requests of the page are not answered whole, for `waitUntilCalm`. A second call does nothing.
 * The live stream of the balance never ends, so an event stream counts as answered with its head.
 */
export function followRequests(page: Page): ReadonlySet<Request> {
  const known = openRequests.get(page);
  if (known !== undefined) return known;
  const open = new Set<Request>();
  openRequests.set(page, open);
  page.on('request', (request) => open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  page.on('response', (response) => {
    if (response.headers()['content-type']?.startsWith('text/event-stream')) open.delete(response.request());
  });
  return open;
}

const calmLooksWanted = 3;

/**
 * Waits until the page has what it shows: every request answered, no grey bars, and both still so some frames later. A page
 * takes an answer in, and asks for more, within one frame. The time limit of the test ends the wait.
 */
export async function waitUntilCalm(page: Page): Promise<void> {
  const open = followRequests(page);
  await page.waitForLoadState('load');
  let calmLooks = 0;
  while (calmLooks < calmLooksWanted) {
    await waitForFrames(page, 2);
    const isDrawn = await page.evaluate("document.querySelector('.mantine-Skeleton-root, [aria-busy=true]') === null");
    calmLooks = isDrawn && open.size === 0 ? calmLooks + 1 : 0;
  }
}

/** Waits until the page has been drawn so many times: a measure of its own progress, and not of time. */
export async function waitForFrames(page: Page, count: number): Promise<void> {
  await page.evaluate(async (frames) => {
    const { requestAnimationFrame } = globalThis as unknown as PageGlobals;
    for (let frame = 0; frame < frames; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  }, count);
}

/** Waits until nothing moves: while colours fade from one scheme to the other, nothing has its own contrast. */
export async function waitForAnimations(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { document, requestAnimationFrame } = globalThis as unknown as PageGlobals;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    // The end of one can be the beginning of another, where a colour is inherited.
    for (let round = 0; round < 100 && document.getAnimations().length > 0; round += 1) {
      await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
}

/** What of a page's globals is used there; the server's types know no browser. */
interface PageGlobals {
  readonly document: { getAnimations(): readonly { readonly finished: Promise<unknown> }[] };
  requestAnimationFrame(callback: (value: unknown) => void): void;
}
