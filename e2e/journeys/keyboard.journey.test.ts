import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { callProxy, emailOf, journeyPassword } from '../support/page-account.js';
import { type Stack, startStack } from '../support/start-stack.js';

const tabsMax = 80;

describeInBrowser('by keyboard alone', (openPage) => {
  describe('from the first page to a receipt', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-keyboard-'));
    let stack: Stack;
    beforeAll(async () => {
      stack = await startStack({ kind: 'sqlite', file: join(folder, 'tollgate.db') });
    });
    afterAll(async () => {
      await stack?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('signs up, makes a key, buys credits, asks on the playground, and opens a receipt by the palette', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await page.goto('/');
      await pressOn(page, page.getByRole('link', { name: 'Create your account' }));
      await page.getByRole('heading', { name: 'Create your account' }).waitFor();
      await typeInto(page, page.getByRole('textbox', { name: 'Name' }), 'Evelyn Boyd');
      await typeInto(page, page.getByRole('textbox', { name: 'E-mail' }), emailOf('Evelyn Boyd'));
      await typeInto(page, page.getByRole('textbox', { name: 'Password' }), journeyPassword);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

      await pressOn(page, page.getByRole('button', { name: 'Create your key' }));
      const shown = page.getByRole('region', { name: 'your key' });
      await shown.waitFor();
      const secret = (await shown.innerText()).trim();

      await jumpTo(page, 'billing', 'Credits');
      await pressOn(page, page.getByRole('button', { name: 'Buy 5,000 credits for $5' }));
      await pressOn(page, page.getByRole('button', { name: /^Pay / }));
      await page.getByRole('heading', { name: 'Paid. Thank you' }).waitFor();
      await pressOn(page, page.getByRole('link', { name: 'Back to credits' }));
      await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();

      const response = await callProxy(stack.baseUrl, secret, { model: 'demo-small' });
      await jumpTo(page, 'chat', 'Playground');
      await typeInto(page, page.getByRole('textbox', { name: 'Your message' }), 'Hello');
      await page.keyboard.press('Enter');
      await page
        .getByRole('article', { name: 'Answer of demo-small' })
        .getByText(/^first token \d/)
        .waitFor();

      const callId = response.headers.get('x-request-id') ?? '';
      await openPalette(page);
      await page.keyboard.type(callId);
      await page.getByText(`Receipt of ${callId}`).waitFor();
      await page.keyboard.press('Enter');
      await page
        .getByRole('dialog')
        .getByRole('row', { name: /^Charged/ })
        .waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(faults).toEqual([]);
    }, 90_000);

    it('skips the navigation, and sees at every step where it is', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      await page.goto('/sign-in?next=/quickstart');
      await typeInto(page, page.getByRole('textbox', { name: 'E-mail' }), emailOf('Evelyn Boyd'));
      await typeInto(page, page.getByRole('textbox', { name: 'Password' }), journeyPassword);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
      await page.goto('/quickstart');
      await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
      await page.keyboard.press('Tab');
      expect(await page.getByRole('link', { name: 'Skip to content' }).evaluate(isFocused)).toBe(true);
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      expect(await page.evaluate("document.querySelector('main').contains(document.activeElement)")).toBe(true);
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle !== 'none'")).toBe(true);
    }, 60_000);
  });
});

// In the page; the server's types know no elements.
const isFocused = (element: unknown): boolean => (element as { matches(selector: string): boolean }).matches(':focus');

/** Tabs to an element, as somebody without a mouse has to. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < tabsMax; presses += 1) {
    if (await target.evaluate(isFocused)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${target} was not reached within ${tabsMax} presses of Tab.`);
}

async function pressOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

async function typeInto(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.type(text);
}

/** Goes to a page by the palette, by another word for it. */
// Keys that are pressed before the palette has the focus go elsewhere.
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+K');
  const search = page.getByRole('textbox', { name: 'Search or jump to' });
  await search.waitFor();
  await page.waitForFunction((input) => input?.matches(':focus'), await search.elementHandle());
}

async function jumpTo(page: Page, word: string, title: string): Promise<void> {
  await openPalette(page);
  await page.keyboard.type(word);
  await page
    .getByRole('button', { name: title })
    .or(page.getByRole('option', { name: title }))
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: title, level: 1 }).waitFor();
}
