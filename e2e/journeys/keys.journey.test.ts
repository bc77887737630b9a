import type { Page } from 'playwright-core';
import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { describeInBrowser } from '../support/browser.js';
import { buyCredits, callProxy, signUpOnPage } from '../support/page-account.js';
import { type Stack, startStack } from '../support/start-stack.js';

describeInBrowser('the keys', (openPage) => {
  describeOnEachDatabase('made with limits and rotated', (openTestDatabase) => {
    let stack: Stack;
    beforeAll(async () => {
      // The caller beside the rotation does not pause, so a usual minute would soon be used up.
      stack = await startStack((await openTestDatabase()).address, { REQUESTS_PER_MINUTE: '100000' });
    });
    afterAll(() => stack?.stop());

    it('keeps a key to what its sentence says, and rotates it while calls run, which none of them notices', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Anita Borg');
      await buyCredits(page, 5);
      await page.goto('/keys');
      await page.getByRole('button', { name: 'Create key' }).click();
      const form = page.getByRole('dialog');
      await form.getByRole('textbox', { name: 'Name' }).fill('Laptop');
      await choose(page, 'Models', 'These models');
      await choose(page, 'Allowed models', 'demo-small');
      await page.keyboard.press('Escape');
      await choose(page, 'Budget', 'At most');
      await form.getByText('demo-small only, for at most 500 credits per month').waitFor();
      await form.getByRole('button', { name: 'Create key' }).click();
      const first = await readSecret(page);
      const statusOf = async (secret: string, model = 'demo-small') =>
        (await callProxy(stack.baseUrl, secret, { model })).status;
      expect(await statusOf(first)).toBe(200);
      expect(await statusOf(first, 'demo-large')).not.toBe(200);

      let isOver = false;
      const statuses = new Set<number>();
      const caller = (async () => {
        while (!isOver) statuses.add(await statusOf(first));
      })();
      await page.getByRole('button', { name: 'Rotate Laptop' }).click();
      await page.getByRole('button', { name: 'Rotate key' }).click();
      const second = await readSecret(page);
      expect(second).not.toBe(first);
      expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
      isOver = true;
      await caller;
      expect([...statuses]).toEqual([200]);
      await page.getByText(/The secret before the last rotation works until/).waitFor();

      await page.getByRole('button', { name: 'Revoke Laptop' }).click();
      await page.getByRole('button', { name: 'Revoke key' }).click();
      await page.getByText('Key revoked').waitFor();
      expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401]);
      expect(faults).toEqual([]);
    }, 90_000);
  });
});

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function readSecret(page: Page): Promise<string> {
  const shown = page.getByRole('region', { name: 'your key', exact: true });
  await shown.waitFor();
  const secret = (await shown.innerText()).trim();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await shown.waitFor({ state: 'detached' });
  return secret;
}
