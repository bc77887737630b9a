import type { Page } from 'playwright-core';
import { totpCodeAt } from '../../server/factors/totp.js';
import { describeInBrowser } from '../support/browser.js';
import { findFreePort } from '../support/free-port.js';
import { useOwnStack } from '../support/own-stack.js';
import { nameOnPage, signInOnPage, signUpOnPage } from '../support/page-account.js';
import { press } from '../support/press.js';
import { useSharedStack } from '../support/shared-stack.js';
import { addAuthenticator } from '../support/virtual-authenticator.js';

const stepMs = 30_000;

const readSecret = async (page: Page, name: string) => (await page.getByRole('region', { name }).innerText()).trim();
const fillCode = (page: Page, code: string) => page.getByRole('textbox', { name: 'Code' }).fill(code);
describeInBrowser('second factors', (openPage) => {
  const stack = useSharedStack();

  it('sets up an authenticator app, signs in by two steps, and proves it is you before something dangerous', async () => {
    const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Radia Perlman');
    // A session from before there was an app.
    const { page: elsewhere } = await openPage({ baseUrl: stack.baseUrl });
    await elsewhere.goto('/sign-in?next=/settings');
    await signInOnPage(elsewhere, 'Radia Perlman');
    await elsewhere.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();

    await page.goto('/settings');
    await press(page, 'Set up an app');
    const secret = (await readSecret(page, 'the key for your app')).replaceAll(' ', '');
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    await fillCode(page, '000000');
    await press(page, 'Turn on');
    await page.getByText('This is not the code that the app shows now.').waitFor();
    await fillCode(page, totpCodeAt(secret, Date.now()));
    await press(page, 'Turn on');
    const codes = (await readSecret(page, 'your recovery codes')).split(/\s+/);
    expect(codes).toHaveLength(10);
    await press(page, 'I have saved them');
    await page.getByText('10 of 10 recovery codes left.').waitFor();

    await press(page, `Account of ${nameOnPage('Radia Perlman')}`);
    await press(page, 'Sign out');
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await page.goto('/sign-in?next=/settings');
    await signInOnPage(page, 'Radia Perlman');
    await page.getByText('Your account is protected by a second factor.').waitFor();
    // That of the next period: the one of now may have been used above.
    await fillCode(page, totpCodeAt(secret, Date.now() + stepMs));
    await press(page, 'Sign in');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();

    await elsewhere.reload();
    await press(elsewhere, 'Remove the app');
    await press(elsewhere, 'Remove app');
    await fillCode(elsewhere, 'not a code');
    await press(elsewhere, 'Go on');
    await elsewhere.getByText('This code is wrong, used already, or too old.').waitFor();
    await fillCode(elsewhere, codes[0] ?? '');
    await press(elsewhere, 'Go on');
    await elsewhere.getByRole('button', { name: 'Set up an app' }).waitFor();
    expect(faults).toEqual([]);
  }, 90_000);
});

describeInBrowser('passkeys', (openPage) => {
  let port = 0;
  beforeAll(async () => {
    port = await findFreePort();
  });
  // Browsers bind passkeys to names; this one needs no certificate.
  useOwnStack(() => ({ PORT: String(port), PUBLIC_URL: `http://localhost:${port}` }));

  it('adds a passkey, signs in with no password, and removes it after a proof by it', async () => {
    const { page, faults } = await openPage({ baseUrl: `http://localhost:${port}` });
    await addAuthenticator(page);
    await signUpOnPage(page, 'Shafi Goldwasser');
    await page.goto('/settings');
    await press(page, 'Add a passkey');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('My laptop');
    await press(page, 'Create the passkey');
    expect((await readSecret(page, 'your recovery codes')).split(/\s+/)).toHaveLength(10);
    await press(page, 'I have saved them');
    const row = page.getByRole('table', { name: 'Passkeys' }).getByRole('row', { name: /My laptop/ });
    expect(await row.innerText()).toContain('Never');

    await press(page, `Account of ${nameOnPage('Shafi Goldwasser')}`);
    await press(page, 'Sign out');
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await page.goto('/sign-in?next=/settings');
    await press(page, 'Use a passkey');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await row.waitFor();
    expect(await row.innerText()).not.toContain('Never');

    // A session that began with the password alone is asked for more.
    await press(page, `Account of ${nameOnPage('Shafi Goldwasser')}`);
    await press(page, 'Sign out');
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await page.goto('/sign-in?next=/settings');
    await signInOnPage(page, 'Shafi Goldwasser');
    await press(page, 'Remove the passkey My laptop');
    await press(page, 'Remove passkey');
    await press(page, 'Use a passkey');
    await page.getByText('Passkey removed').waitFor();
    await row.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  }, 90_000);
});
