import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
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
/** Without them there is no page to wait on. */
const neverHeld = /"operationName":"(?:Standing|Session)"/;

const countShifts = `window.shiftOfAll = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shiftOfAll += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

describeInBrowser('while a page loads', (openPage) => {
  const stack = useSharedStack();

  it.each([1280, 390] as const)(
    'what is read stays in its place, in a window of %s pixels',
    async (width) => {
      const { page } = await openPage({ baseUrl: stack.baseUrl, width });
      await signUpOnPage(page, `Lynn Conway ${width}`);
      await page.addInitScript(countShifts);
      await holdAnswers(page);
      const moved: string[] = [];
      for (const path of pages) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await waitUntilCalm(page);
        const shift = await page.evaluate<number>('window.shiftOfAll');
        if (shift > shiftMax) moved.push(`${path}: ${shift.toFixed(3)}`);
      }
      expect(moved).toEqual([]);
    },
    240_000,
  );
});

/** Answers come after the page was drawn without them, however quick the server is. */
async function holdAnswers(page: Page): Promise<void> {
  await page.route('**/graphql', async (route) => {
    if (!neverHeld.test(route.request().postData() ?? '')) {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await waitForFrames(page, 3);
    }
    await route.continue();
  });
}
