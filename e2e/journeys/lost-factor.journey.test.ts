import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { totpCodeAt } from '../../server/factors/totp.js';
import { FactorApp } from '../../server/test/factor-app.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { describeInBrowser } from '../support/browser.js';
import { emailOf, nameOnPage, signInOnPage, signUpOnPage } from '../support/page-account.js';
import { press } from '../support/press.js';

const hourMs = 3_600_000;
const person = 'Katherine Johnson';
const readSecret = async (page: Page, name: string) => (await page.getByRole('region', { name }).innerText()).trim();

describeInBrowser('a lost second factor', (openPage) => {
  const folder = makeTestFolder('lost-factor');
  let opened: FactorApp;

  beforeAll(async () => {
    // In this process, so that the wait passes by the clock of the test.
    const address = { kind: 'sqlite', file: join(folder, 'tollgate.db') } as const;
    opened = await FactorApp.start({ kind: 'sqlite', address, drop: async () => {} });
  });
  afterAll(async () => {
    await opened.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The token of the link that was mailed, once it is there. */
  async function readMailedToken(email: string): Promise<string> {
    for (;;) {
      const mail = opened.smtp.mails.find((text) => text.includes(`To: ${email}`) && text.includes('recover-factors'));
      const token = /recover-factors#(tgf_[\w-]{43})/.exec(mail?.replace(/=\r?\n/g, '') ?? '')?.[1];
      if (token !== undefined) return token;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  it('is removed by the password, a mailed link and three days, in which every session sees it coming', async () => {
    const { baseUrl } = opened.app;
    const owner = await openPage({ baseUrl });
    await signUpOnPage(owner.page, person);
    await opened.app.query('UPDATE account SET email_verified_at_ms = 1');
    await owner.page.goto('/settings');
    await press(owner.page, 'Set up an app');
    const secret = (await readSecret(owner.page, 'the key for your app')).replaceAll(' ', '');
    await owner.page.getByRole('textbox', { name: 'Code' }).fill(totpCodeAt(secret, opened.clock.nowMs()));
    await press(owner.page, 'Turn on');
    await press(owner.page, 'I have saved them');

    const { page, faults } = await openPage({ baseUrl });
    await page.goto('/sign-in?next=/settings');
    await signInOnPage(page, person);
    await press(page, 'I lost my app and codes');
    await page.getByText('A link is on its way to your verified address.').waitFor();
    await page.goto(`/recover-factors#${await readMailedToken(emailOf(person))}`);
    await press(page, 'Remove them in 72 hours');
    await page.getByRole('heading', { name: 'The 72 hours have started' }).waitFor();

    opened.clock.advanceMs(72 * hourMs - 1);
    await owner.page.reload();
    await owner.page.getByRole('button', { name: 'Keep them' }).waitFor();
    await page.goto('/sign-in?next=/settings');
    await signInOnPage(page, person);
    await page.getByText('Your account is protected by a second factor.').waitFor();
    opened.clock.advanceMs(1);
    await page.goto('/sign-in?next=/settings');
    await signInOnPage(page, person);
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Set up an app' }).waitFor();
    await page.getByRole('button', { name: `Account of ${nameOnPage(person)}`, exact: true }).waitFor();
    expect(faults).toEqual([]);
  }, 90_000);
});
