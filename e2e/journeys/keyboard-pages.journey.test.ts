import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { findFocusFaults } from '../support/focus-facts.js';
import { findOrderFaults, KeyboardUser } from '../support/keyboard-user.js';
import { buyCredits, callProxy, createKey, signUpOnPage } from '../support/page-account.js';
import { waitUntilCalm } from '../support/page-calm.js';
import { useSharedStack } from '../support/shared-stack.js';

const pagesInside = [
  '/',
  '/usage',
  '/explore',
  '/requests',
  '/playground',
  '/models',
  '/models/demo-small',
  '/keys',
  '/credits',
  '/budgets',
  '/webhooks',
  '/proof',
  '/quickstart',
  '/settings',
];

describeInBrowser('every page by keyboard alone', (openPage) => {
  describe('from its first stop to its last', () => {
    const stack = useSharedStack();

    /** Backward to see that the bar at the top hides nothing, forward for the bar at the bottom. */
    async function listPageFaults(page: Page, path: string, key: 'Tab' | 'Shift+Tab'): Promise<string[]> {
      await page.goto(path);
      await waitUntilCalm(page);
      const stops = await new KeyboardUser(page).walk(key);
      const inOrder = key === 'Tab' ? stops : stops.toReversed();
      return [...stops.flatMap(findFocusFaults), ...findOrderFaults(inOrder)];
    }

    it('shows where the focus is at every stop, in reading order, and lets go of it, wide and narrow, light and dark', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      const found: Record<string, string[]> = {};
      for (const path of ['/', '/sign-in', '/sign-up', '/no-such-page']) {
        found[`signed out ${path}`] = await listPageFaults(page, path, 'Tab');
      }
      await signUpOnPage(page, 'Annie Easley');
      await buyCredits(page, 5);
      const secret = await createKey(page);
      for (let n = 0; n < 3; n += 1) await callProxy(stack.baseUrl, secret, { model: 'demo-small' });
      for (const path of pagesInside) found[path] = await listPageFaults(page, path, 'Shift+Tab');
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize({ width: 390, height: 844 });
      for (const path of pagesInside) found[`390 dark ${path}`] = await listPageFaults(page, path, 'Tab');
      expect(found).toEqual(Object.fromEntries(Object.keys(found).map((path) => [path, []])));
    }, 180_000);
  });
});
