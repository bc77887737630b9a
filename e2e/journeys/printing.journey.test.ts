import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { demoEmail, seedDemoAccount } from '../../server/cli/seed-demo-account.js';
import { loadConfig } from '../../server/config/config.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { describeInBrowser, type OpenedPage } from '../support/browser.js';
import { journeyPassword, signInAs } from '../support/page-account.js';
import { waitForAnimations, waitUntilCalm } from '../support/page-calm.js';
import { listPaperFaults, onPaper } from '../support/page-paper.js';
import { openView, type PageView, pagesInside, viewsOutside, viewsWithData } from '../support/page-views.js';
import { type Stack, startStack } from '../support/start-stack.js';

const timeoutMs = 300_000;
const receipt = viewsWithData.filter(({ title }) => title === 'receipt');

// The look is that of the paper and not of the screen: it is printed where the two differ most.
describeInBrowser('on paper, in the dark look', (openPage) => {
  const folder = makeTestFolder('printing');
  let stack: Stack;
  let opened: OpenedPage;
  beforeAll(async () => {
    const file = join(folder, 'printing.db');
    const config = loadConfig({ DATABASE_URL: `sqlite:${file}`, SPOOL_DIR: join(folder, 'spool') });
    await seedDemoAccount({ config, password: journeyPassword, callCount: 300, seed: 3, nowMs: Date.now() });
    stack = await startStack({ kind: 'sqlite', file }, { MAX_KEYS_PER_ACCOUNT: '12' });
  }, timeoutMs);
  afterAll(async () => {
    await stack?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function show(page: Page, view: PageView) {
    await openView(page, view);
    await waitForAnimations(page);
  }

  it(
    'no page without an account is empty, and its text has a contrast of 4.5',
    async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl, colorScheme: 'dark' });
      const faults: string[] = [];
      for (const view of viewsOutside) {
        await show(page, view);
        faults.push(...(await listPaperFaults(page)).map((fault) => `${view.title}: ${fault}`));
      }
      expect(faults).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'no page of an account is empty, and its text has a contrast of 4.5, that of a receipt and the statement alone as well',
    async () => {
      opened = await openPage({ baseUrl: stack.baseUrl, colorScheme: 'dark' });
      const { page } = opened;
      await signInAs(page, demoEmail);
      const faults: string[] = [];
      for (const view of [...pagesInside, ...receipt]) {
        await show(page, view);
        faults.push(...(await listPaperFaults(page)).map((fault) => `${view.title}: ${fault}`));
      }
      await page.goto('/credits');
      await waitUntilCalm(page);
      // As the button of the statement has it.
      await page.evaluate("document.documentElement.dataset.prints = 'part'");
      faults.push(...(await listPaperFaults(page)).map((fault) => `statement: ${fault}`));
      expect(faults).toEqual([]);
    },
    timeoutMs,
  );

  it('the requests are all that were loaded, and on the screen those in sight again afterwards', async () => {
    const { page } = opened;
    await show(page, { title: 'requests', path: '/requests' });
    const rows = page.getByRole('table', { name: 'Requests' }).getByRole('button', { name: /^Receipt of the call/ });
    const inSight = await rows.count();
    const printed = await onPaper(page, async () => ({
      count: await rows.count(),
      emptyPx: await page.evaluate(emptyEnd),
    }));
    expect(printed.count).toBeGreaterThan(inSight);
    expect(Math.abs(Number(printed.emptyPx))).toBeLessThan(3);
    await waitForAnimations(page);
    expect(await rows.count()).toBe(inSight);
  }, 60_000);

  it('the screen has its look again once the browser has printed', async () => {
    const { page } = opened;
    await show(page, { title: 'requests', path: '/requests' });
    await page.evaluate(`window.addEventListener('beforeprint', () => { globalThis.printedIn = ${scheme}; })`);
    // The browser says by itself that it prints.
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
    expect(await page.evaluate('globalThis.printedIn')).toBe('light');
    expect(await page.evaluate(scheme)).toBe('dark');
  }, 60_000);

  it('a receipt that was closed leaves the page below it to be printed, and what can only be pressed is not there', async () => {
    const { page } = opened;
    for (const view of receipt) await show(page, view);
    await onPaper(page, async () => {
      expect(await page.getByRole('heading', { name: 'Requests', level: 1 }).isVisible()).toBe(false);
    });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await onPaper(page, async () => {
      expect(await page.getByRole('heading', { name: 'Requests', level: 1 }).isVisible()).toBe(true);
      expect(
        await page.locator('main .mantine-Button-root:visible, main .mantine-ActionIcon-root:visible').count(),
      ).toBe(0);
    });
  }, 60_000);

  it('an open dialog is the sheet, whole and without what lies behind it, and a menu leaves its page to be printed', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 1440, height: 500 });
    await show(page, { title: 'keys', path: '/keys' });
    const heading = page.getByRole('heading', { level: 1 });
    await page
      .getByRole('button', { name: /^Revoke / })
      .first()
      .click();
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' });
    await dialog.waitFor();
    await waitForAnimations(page);
    await onPaper(page, async () => {
      expect([await heading.isVisible(), await page.getByText('stops working immediately').isVisible()]).toEqual([
        false,
        true,
      ]);
    });
    expect(await listPaperFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Account of/ }).click();
    const item = page.getByRole('button', { name: 'Sign out' });
    await item.waitFor();
    await onPaper(page, async () => expect([await heading.isVisible(), await item.isVisible()]).toEqual([true, false]));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+K');
    await page.getByRole('dialog').waitFor();
    await onPaper(page, async () => {
      expect([await heading.isVisible(), await page.getByRole('dialog').isVisible()]).toEqual([true, false]);
    });
  }, 60_000);
});

/** How much of the list is left below its last row. */
const emptyEnd = `(() => { const rows = [...document.querySelectorAll('[role=rowgroup]:last-child [role=row]')];
  const ends = rows.map((row) => row.getBoundingClientRect().bottom);
  return rows[0].parentElement.getBoundingClientRect().bottom - Math.max(...ends); })()`;
const scheme = 'document.documentElement.dataset.mantineColorScheme';
