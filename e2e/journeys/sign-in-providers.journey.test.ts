import type { Page } from 'playwright-core';
import { LocalOidcProvider } from '../../server/test/local-oidc-provider.js';
import { describeInBrowser } from '../support/browser.js';
import { findFreePort } from '../support/free-port.js';
import { useOwnStack } from '../support/own-stack.js';
import { emailOf, nameOnPage, signInOnPage, signUpOnPage } from '../support/page-account.js';
import { press } from '../support/press.js';

const go = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
const seeHeading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

async function signOut(page: Page, name: string): Promise<void> {
  await press(page, `Account of ${name}`);
  await press(page, 'Sign out');
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
}

describeInBrowser('signing in by another provider', (openPage) => {
  let port = 0;
  let provider: LocalOidcProvider;
  beforeAll(async () => {
    port = await findFreePort();
    // To a browser this is another site than the one of the provider, which is 127.0.0.1.
    provider = await LocalOidcProvider.start(`http://localhost:${port}/sign-in/callback/local`);
  });
  afterAll(() => provider.close());
  useOwnStack(() => ({
    ...{ PORT: String(port), PUBLIC_URL: `http://localhost:${port}` },
    ...{ ...provider.settings, OIDC_LOCAL_LABEL: 'Local Works' },
  }));

  it('makes an account, keeps its only way in, and signs in to the page that was wanted', async () => {
    provider.person = { sub: 'hedy', email: 'hedy@example.com', email_verified: true, name: 'Hedy Lamarr' };
    const { page, faults } = await openPage({ baseUrl: `http://localhost:${port}` });
    await page.goto('/sign-up');
    await go(page, 'Continue with Local Works');
    await seeHeading(page, 'Overview');
    await page.goto('/settings');
    const row = page.getByRole('table', { name: 'Linked sign-ins' }).getByRole('row', { name: /hedy@example\.com/ });
    await row.waitFor();
    await press(page, 'Unlink Local Works, hedy@example.com');
    await press(page, 'Unlink Local Works');
    await page.getByText('You could no longer sign in.').waitFor();
    await signOut(page, 'Hedy Lamarr');
    await page.goto('/sign-in?next=/settings');
    await go(page, 'Continue with Local Works');
    await seeHeading(page, 'Settings');
    await row.waitFor();
    expect(await row.innerText()).not.toContain('Never');
    expect(faults).toEqual([]);
  }, 90_000);

  it('opens no account by its address alone; its owner links it, and unlinks it', async () => {
    const name = 'Joan Clarke';
    const { page } = await openPage({ baseUrl: `http://localhost:${port}` });
    await signUpOnPage(page, name);
    provider.person = { sub: 'joan', email: emailOf(name), email_verified: true };
    await signOut(page, nameOnPage(name));
    await page.goto('/sign-in?next=/settings');
    await go(page, 'Continue with Local Works');
    await page.getByText('There is an account with this e-mail address already.').waitFor();
    await signInOnPage(page, name);
    await seeHeading(page, 'Settings');
    await press(page, 'Link Local Works');
    await page.getByRole('table', { name: 'Linked sign-ins' }).waitFor();
    // Too late: nothing is linked, and the session goes on.
    await page.goto('/settings?linking=yes');
    await page.getByText('Nothing was linked').waitFor();
    await seeHeading(page, 'Settings');
    // What was said lies over the account's menu, and stays as long as the pointer is on it.
    await page.mouse.move(0, 0);
    await page.locator('.mantine-Notification-title').waitFor({ state: 'hidden' });
    await signOut(page, nameOnPage(name));
    await page.goto('/sign-in?next=/settings');
    await go(page, 'Continue with Local Works');
    await seeHeading(page, 'Settings');
    await press(page, `Unlink Local Works, ${emailOf(name)}`);
    await press(page, 'Unlink Local Works');
    await page.getByText('Local Works no longer signs you in.').waitFor();
    await page.goto('/sign-in/callback/local?code=guessed&state=guessed');
    await page.waitForURL(/\/(settings)?$|\/sign-in/);
  }, 90_000);
});
