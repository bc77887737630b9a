import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { joinAsOperator } from '../support/operator-page.js';
import { useOwnStack } from '../support/own-stack.js';
import { signUpOnPage } from '../support/page-account.js';
import { waitForFrames, waitUntilCalm } from '../support/page-calm.js';
import { useSharedStack } from '../support/shared-stack.js';

/** Up to 0.1 is said to be good: https://web.dev/articles/cls */
const shiftMax = 0.06;
const pages = [
  ...['/', '/usage', '/explore', '/requests', '/playground', '/models', '/models?compare=demo-small,demo-large'],
  ...['/models/demo-small', '/status', '/pricing', '/keys', '/credits', '/budgets', '/proof', '/webhooks'],
  ...['/quickstart', '/settings', '/settings/members'],
];
const publicPages = ['/models', '/models/demo-small', '/pricing', '/status', '/quickstart'];
const consolePages = ['', '/money', '/watch', '/providers', '/prices', '/abuse', '/setup', '/log', '/people'].map(
  (path) => `/operator${path}`,
);
/** Without them there is no page to wait on. */
const neverHeld = /"operationName":"(?:Standing|Session|OperatorMe)"/;
/** A usual run tries each width with one order. */
const isWholeRun = process.env.TOLLGATE_TEST_SCOPE === 'all';

/** CI has one of the two pairs, by its turn; the last bit of that says already whether this file is run (`test-turns.mjs`). null: both. */
const pairOfTurn =
  process.env.TOLLGATE_TURN === undefined ? null : Math.floor(Number(process.env.TOLLGATE_TURN) / 2) % 2;

type Order = 'first' | 'last';
const pairs = [
  [
    [1280, 'last'],
    [390, 'first'],
  ],
  [
    [1280, 'first'],
    [390, 'last'],
  ],
] as const;
const looks = pairs.filter((_, index) => (isWholeRun ? index === (pairOfTurn ?? index) : index === 0)).flat();

const countShifts = `window.shiftOfAll = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shiftOfAll += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

describeInBrowser('while a page loads', (openPage) => {
  const stack = useSharedStack();

  it.each(looks)(
    'what is read stays in its place, in a window of %s pixels, whose answers come one by one, the one asked for %s before the others',
    async (width, order) => {
      const { page } = await openPage({ baseUrl: stack.baseUrl, width });
      await signUpOnPage(page, `Lynn Conway ${width} ${order}`);
      expect(await listMoved(page, pages, order)).toEqual([]);
    },
    240_000,
  );

  it.each(looks)(
    'what strangers read stays in its place, in a window of %s pixels, the answer asked for %s before the others',
    async (width, order) => {
      const { page } = await openPage({ baseUrl: stack.baseUrl, width });
      expect(await listMoved(page, publicPages, order)).toEqual([]);
    },
    120_000,
  );
});

describeInBrowser('while a page of the console loads', (openPage) => {
  const stack = useOwnStack();

  it('what is read stays in its place, in whichever order its answers come', async () => {
    const moved: string[] = [];
    for (const [width, order] of looks) {
      const { page } = await openPage({ baseUrl: stack.baseUrl, width });
      await joinAsOperator(page, stack, `Lynn${width}${order}`);
      moved.push(...(await listMoved(page, consolePages, order)).map((one) => `${width}, ${order}: ${one}`));
    }
    expect(moved).toEqual([]);
  }, 240_000);
});

/** Opens each page with its answers in that order. @returns those on which something moved */
async function listMoved(page: Page, paths: readonly string[], order: Order): Promise<string[]> {
  await page.addInitScript(countShifts);
  const moved: string[] = [];
  for (const path of paths) {
    // What the page before still asks is nobody's any more.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await orderAnswers(page, order);
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await waitUntilCalm(page);
    const shift = await page.evaluate<number>('window.shiftOfAll');
    if (shift > shiftMax) moved.push(`${path}: ${shift.toFixed(3)}`);
  }
  return moved;
}

/** Each answer comes after the page was drawn without it, and without those that come later, however quick the server is. */
async function orderAnswers(page: Page, order: Order): Promise<void> {
  const ready: (() => void)[] = [];
  let asked = 0;
  let isLettingGo = false;
  async function letGo() {
    if (isLettingGo) return;
    isLettingGo = true;
    await page.getByRole('heading', { level: 1 }).waitFor();
    while (ready.length > 0) {
      await waitForFrames(page, 3);
      if (asked > ready.length) continue;
      asked -= 1;
      (order === 'first' ? ready.shift() : ready.pop())?.();
    }
    isLettingGo = false;
  }
  await page.route('**/graphql', async (route) => {
    if (neverHeld.test(route.request().postData() ?? '')) return route.continue();
    asked += 1;
    const response = await route.fetch();
    const turn = new Promise<void>((resolve) => ready.push(resolve));
    letGo().catch(ignore);
    await turn;
    await route.fulfill({ response });
  });
}

/** The page has gone to another address meanwhile. */
function ignore(): void {}
