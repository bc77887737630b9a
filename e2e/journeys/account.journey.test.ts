import { describeInBrowser } from '../support/browser.js';
import { buyCredits, callProxy, createKey, emailOf, journeyPassword, signUpOnPage } from '../support/page-account.js';
import { useSharedStack } from '../support/shared-stack.js';

describeInBrowser('the account', (openPage) => {
  describe('usage and settings', () => {
    const stack = useSharedStack();

    it('sums what was used by model and by key, in a chart with its table, and keeps the choice in the address', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Grace Hopper');
      await buyCredits(page, 5);
      const secret = await createKey(page);
      const large = await callProxy(stack.baseUrl, secret, { model: 'demo-large' });
      await callProxy(stack.baseUrl, secret, { model: 'demo-small' });
      await page.goto('/usage?range=7d');
      const row = page.getByRole('table', { name: 'Usage by model' }).getByRole('row', { name: /demo-large/ });
      await row.waitFor();
      expect(await row.innerText()).toContain(large.headers.get('x-credits-charged') ?? 'none');
      await page.getByRole('img', { name: /^Credits per day, by model/ }).waitFor();

      await page.getByRole('tab', { name: 'Calls' }).click();
      await page.getByText('By key', { exact: true }).click();
      await page.waitForURL(/show=calls.*by=key|by=key.*show=calls/);
      await page.reload();
      await page
        .getByRole('table', { name: 'Usage by key' })
        .getByRole('row', { name: /Laptop 2/ })
        .waitFor();
      await page.getByText('Show this chart as a table').click();
      const days = page.getByRole('table', { name: 'Calls per day, by key' }).getByRole('row');
      expect(await days.count()).toBe(8);
      expect((await days.nth(1).innerText()).split(/\s+/).slice(-2)).toEqual(['2', '2']);
      expect(faults).toEqual([]);
    }, 60_000);

    it('changes name and password, ends another session, and deletes the account', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Jean Bartik');
      const elsewhere = await openPage({ baseUrl: stack.baseUrl });
      await elsewhere.page.goto('/sign-in?next=/settings');
      await elsewhere.page.getByRole('textbox', { name: 'E-mail' }).fill(emailOf('Jean Bartik'));
      await elsewhere.page.getByRole('textbox', { name: 'Password' }).fill(journeyPassword);
      await elsewhere.page.getByRole('button', { name: 'Sign in' }).click();
      await elsewhere.page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();

      await page.goto('/settings');
      await page.getByRole('textbox', { name: 'Name' }).fill('Betty Jean');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('You are Betty Jean now.').waitFor();
      await page.getByRole('button', { name: 'Account of Betty Jean' }).waitFor();

      await page.getByRole('button', { name: /^End the session of/ }).click();
      await page.getByText('Session ended').waitFor();
      await elsewhere.page.reload();
      await elsewhere.page.getByRole('heading', { name: 'Sign in' }).waitFor();

      await page.getByRole('textbox', { name: 'Current password' }).fill('not this one');
      await page.getByRole('textbox', { name: 'New password' }).fill('a new long password');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('This is not the password of your account.').waitFor();
      await page.getByRole('textbox', { name: 'Current password' }).fill(journeyPassword);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('Password changed').waitFor();

      await page.getByRole('button', { name: 'Delete the account' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Your password' }).fill('a new long password');
      await dialog.getByRole('button', { name: 'Delete account' }).click();
      await page
        .getByRole('link', { name: 'Create your account' })
        .or(page.getByRole('button', { name: 'Sign in' }))
        .first()
        .waitFor();
      await page.goto('/settings');
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(faults).toEqual([]);
    }, 60_000);
  });
});
