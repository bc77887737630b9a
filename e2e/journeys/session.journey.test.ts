import type { Page } from 'playwright-core';
import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { describeInBrowser } from '../support/browser.js';
import { type Stack, startStack } from '../support/start-stack.js';

const email = 'katherine@example.com';
const password = 'the trajectory is right';

describeInBrowser('coming and going', (openPage) => {
  describeOnEachDatabase('sign out and in again', (openTestDatabase) => {
    let stack: Stack;
    beforeAll(async () => {
      stack = await startStack((await openTestDatabase()).address);
    });
    afterAll(() => stack?.stop());

    it('leads back to the page that was wanted, tells a wrong password without saying more, and revokes a key for good', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      await page.goto('/sign-up');
      await fillCredentials(page, password);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('button', { name: 'Create your key' }).click();
      const secret = (await page.getByRole('region', { name: 'your key' }).innerText()).trim();

      await page.getByRole('button', { name: /^Account of katherine/ }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();

      await page.goto('/keys');
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      // A browser that comes back after weeks still has the cookie of a session that has ended.
      await page.context().addCookies([{ name: 'sid', value: 'of-a-session-that-has-ended', url: stack.baseUrl }]);
      await page.goto('/keys');
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await fillCredentials(page, 'not the password');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').innerText()).not.toMatch(/no account|unknown/i);

      await fillCredentials(page, password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
      expect(await page.content()).not.toContain(secret);

      await page.getByRole('button', { name: /^Revoke / }).click();
      await page.getByRole('button', { name: 'Revoke key' }).click();
      await page.getByText('Key revoked').waitFor();
      const refused = await fetch(`${stack.baseUrl}/api/proxy.php`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}` },
        body: JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] }),
      });
      expect(refused.status).toBe(401);
    }, 60_000);
  });
});

async function fillCredentials(page: Page, withPassword: string): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(withPassword);
}
