import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { findFreePort } from '../support/free-port.js';
import { looksInWords } from '../support/looks.js';
import { joinAsOperator } from '../support/operator-page.js';
import { useOwnStack } from '../support/own-stack.js';
import { buyCredits, emailOf, signUpOnPage } from '../support/page-account.js';
import { PageGallery } from '../support/page-gallery.js';
import { press } from '../support/press.js';
import { addAuthenticator } from '../support/virtual-authenticator.js';

describeInBrowser('a passkey of an operator', (openPage) => {
  let baseUrl = '';
  beforeAll(async () => {
    // Browsers bind passkeys to names; this one needs no certificate.
    baseUrl = `http://localhost:${await findFreePort()}`;
  });
  const stack = useOwnStack(() => ({ PORT: new URL(baseUrl).port, PUBLIC_URL: baseUrl }));

  /** As if the last code or passkey had been an hour ago. */
  function ageProofs(): void {
    const Database = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3;
    const database = new Database(stack.file, { timeout: 5_000 });
    database.prepare('UPDATE operator_session SET proved_at_ms = proved_at_ms - 3600000').run();
    database.close();
  }

  it(`is added on the page of operators, signs in, and is proof for moving money, accessible, ${looksInWords}`, async () => {
    const customer = await openPage({ baseUrl });
    await signUpOnPage(customer.page, 'Gladys West');
    await buyCredits(customer.page, 5);
    const opened = await openPage({ baseUrl });
    const { page, faults } = opened;
    await addAuthenticator(page);
    await joinAsOperator(page, { file: stack.file, baseUrl }, 'Sophie');
    await page.getByRole('link', { name: 'Operators', exact: true }).click();
    const card = page.getByRole('region', { name: 'Your passkeys' });
    await card.getByRole('button', { name: 'Add a passkey' }).click();
    const adding = page.getByRole('dialog', { name: 'Add a passkey' });
    await adding.getByRole('textbox', { name: 'Name' }).fill('My laptop');
    await adding.getByRole('button', { name: 'Add a passkey' }).click();
    const row = card.getByRole('row', { name: /My laptop/ });
    await row.getByText('never').waitFor();
    const added = [{ title: 'operator-passkeys', path: '/operator/people' }];
    expect((await new PageGallery(opened).lookAtAll('added', added)).faults).toEqual([]);

    await press(page, 'Sign out');
    await page.getByRole('heading', { name: 'Operators: sign in' }).waitFor();
    await press(page, 'Use a passkey');
    // Where the sign-out was.
    await row.waitFor();

    ageProofs();
    const giveCredits = async (on: Page) => {
      await on.getByRole('link', { name: emailOf('Gladys West') }).click();
      await press(on, 'Give credits');
      const dialog = on.getByRole('dialog', { name: 'Give credits' });
      await dialog.getByRole('textbox', { name: 'Credits' }).fill('250');
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('A slow day, ticket 21');
      await dialog.getByRole('button', { name: 'Give credits' }).click();
      await dialog.getByRole('textbox', { name: 'Code' }).waitFor();
    };
    const found = `/operator?find=${encodeURIComponent(emailOf('Gladys West'))}`;
    const asked = [{ title: 'operator-passkey-proof', path: found, show: giveCredits }];
    expect((await new PageGallery(opened).lookAtAll('asked', asked)).faults).toEqual([]);
    await press(page, 'Use a passkey instead');
    await page.getByRole('dialog').getByText('credits are available now').waitFor();
    await press(page, 'Done');
    await page.getByRole('region', { name: 'Statement' }).getByText('+250').first().waitFor();

    await page.getByRole('link', { name: 'Log', exact: true }).click();
    for (const words of ['Passkey My laptop', 'By a passkey', 'Used a passkey', 'A slow day, ticket 21'])
      await page.getByText(words).first().waitFor();
    await page.getByRole('link', { name: 'Operators', exact: true }).click();
    await row.waitFor();
    expect(await row.innerText()).not.toContain('never');
    await row.getByRole('button', { name: 'Remove My laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  }, 180_000);
});
