import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  describeInBrowser,
  forEachLook,
  listAccessibilityFaults,
  measureOverflowPx,
  waitUntilCalm,
} from '../support/browser.js';
import { type Stack, startStack } from '../support/start-stack.js';

/** SCREENSHOTS=<folder> keeps a picture of each page in each look. */
const pictureFolder = process.env.SCREENSHOTS;

const pagesInside = [
  '/',
  '/usage',
  '/calls',
  '/playground',
  '/models',
  '/keys',
  '/credits',
  '/quickstart',
  '/settings',
  '/no-such-page',
];

describeInBrowser('every page', (openPage) => {
  // How a page looks does not depend on the database behind it; the journeys run on both.
  describe('wide and narrow, light and dark', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-looks-'));
    let stack: Stack;
    beforeAll(async () => {
      stack = await startStack({ kind: 'sqlite', file: join(folder, 'tollgate.db') });
    });
    afterAll(async () => {
      await stack?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    async function expectGoodLooks(page: Page, title: string): Promise<void> {
      await waitUntilCalm(page);
      await forEachLook(page, async (look) => {
        if (pictureFolder) {
          mkdirSync(pictureFolder, { recursive: true });
          await page.screenshot({ path: join(pictureFolder, `${title}-${look}.png`), fullPage: true });
        }
        expect({ title, look, overflowPx: await measureOverflowPx(page) }).toEqual({ title, look, overflowPx: 0 });
        expect({ title, look, faults: await listAccessibilityFaults(page) }).toEqual({ title, look, faults: [] });
      });
    }

    it('is accessible and fits its window, signed out, empty, and with purchases and calls', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await page.goto('/');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectGoodLooks(page, 'landing');
      for (const path of ['/sign-in', '/sign-up']) {
        await page.goto(path);
        await page.getByRole('textbox', { name: 'E-mail' }).waitFor();
        await expectGoodLooks(page, path.slice(1));
      }
      await signUp(page);
      for (const path of pagesInside) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expectGoodLooks(page, `empty${path.replaceAll('/', '-')}`);
      }
      await fillAccount(stack, page);
      for (const path of pagesInside.slice(0, -1)) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expectGoodLooks(page, `filled${path.replaceAll('/', '-')}`);
      }
      await showDialogs(page, expectGoodLooks);
      expect(faults.filter((fault) => !fault.includes('no-such-page'))).toEqual([]);
    }, 420_000);
  });
});

/** What opens on top of a page, or comes into it by asking. */
async function showDialogs(page: Page, expectGoodLooks: (page: Page, title: string) => Promise<void>): Promise<void> {
  await page.goto('/calls');
  await page
    .getByRole('button', { name: /^Receipt of the call/ })
    .first()
    .click();
  await page.getByRole('dialog').getByText('Balance after').waitFor();
  await expectGoodLooks(page, 'receipt');
  await page.goto('/playground');
  await page.getByRole('textbox', { name: 'Your message' }).fill('What is a toll?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('link', { name: 'Receipt' }).waitFor();
  await expectGoodLooks(page, 'playground-answer');
  await page.getByRole('button', { name: 'View code' }).click();
  await page.getByRole('region', { name: 'curl code' }).waitFor();
  await expectGoodLooks(page, 'playground-code');
  await page.goto('/usage?show=tokens&by=key&range=24h');
  await page.getByText('The figures of this chart as a table').click();
  await expectGoodLooks(page, 'usage-table');
  await page.keyboard.press('Control+K');
  await page.getByRole('textbox', { name: 'Search or jump to' }).waitFor();
  await expectGoodLooks(page, 'palette');
}

async function signUp(page: Page): Promise<void> {
  await page.goto('/sign-up');
  await page.getByRole('textbox', { name: 'Name' }).fill('Grace Hopper');
  await page.getByRole('textbox', { name: 'E-mail' }).fill('grace@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('a ship in port is safe');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

/** One key, two purchases of which one is left unpaid, and a dozen calls, good and bad. */
async function fillAccount(stack: Stack, page: Page): Promise<void> {
  const ask = (query: string): Promise<Answer> =>
    page.evaluate(async (text) => {
      const response = await fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: text }),
      });
      return ((await response.json()) as { data: Answer }).data;
    }, query);
  const { createApiKey } = await ask('mutation { createApiKey(input: { name: "Laptop" }) { secret } }');
  const { startCheckout } = await ask('mutation { startCheckout(input: { dollars: 5 }) { url } }');
  await ask('mutation { startCheckout(input: { dollars: 20 }) { url } }');
  await fetch(`${startCheckout.url}/pay`, { method: 'POST', redirect: 'manual' });
  for (let n = 0; n < 12; n += 1) {
    await fetch(`${stack.baseUrl}/api/proxy.php`, {
      method: 'POST',
      headers: { authorization: `Bearer ${createApiKey.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: n % 2 === 0 ? 'demo-small' : 'demo-large',
        stream: n % 3 === 0,
        messages: [{ role: 'user', content: `Question ${n}` }],
      }),
    }).then((response) => response.text());
  }
}

interface Answer {
  readonly createApiKey: { readonly secret: string };
  readonly startCheckout: { readonly url: string };
}
