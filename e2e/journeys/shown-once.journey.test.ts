import type { Page } from 'playwright-core';
import { totpCodeAt } from '../../server/factors/totp.js';
import { eventually } from '../../server/test/eventually.js';
import { describeInBrowser } from '../support/browser.js';
import { signUpOnPage } from '../support/page-account.js';
import { press } from '../support/press.js';
import { useSharedStack } from '../support/shared-stack.js';

const textOf = async (page: Page, name: string) => (await page.getByRole('region', { name }).innerText()).trim();

describeInBrowser('recovery codes', (openPage) => {
  const stack = useSharedStack();

  it('stay through Escape, a click beside them and Back, and are shown after an update of the server, too', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Karen Jones');
    await page.goto('/settings');
    await press(page, 'Set up an app');
    const secret = (await textOf(page, 'the key for your app')).replaceAll(' ', '');
    await page.getByRole('textbox', { name: 'Code' }).fill(totpCodeAt(secret, Date.now()));
    await press(page, 'Turn on');
    const codes = await textOf(page, 'your recovery codes');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.dismiss();
    });
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 400);
    await page.evaluate('history.back()');
    await eventually(() => asked.length > 0);
    await eventually(() => new URL(page.url()).pathname === '/settings');
    expect(await textOf(page, 'your recovery codes')).toBe(codes);
    await press(page, 'I have saved them');
    await page.route('**/assets/**', (route) => route.fulfill({ status: 404, body: '' }));
    await press(page, 'New recovery codes');
    await press(page, 'Create new codes');
    expect(await textOf(page, 'your recovery codes')).not.toBe(codes);
  });
});
