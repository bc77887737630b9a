import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import {
  buyCredits,
  callProxy,
  createKey,
  emailOf,
  journeyPassword,
  nameOnPage,
  signUpOnPage,
} from '../support/page-account.js';
import { useSharedStack } from '../support/shared-stack.js';

/** 400 kbit/s with 400 ms to the server and back, as browsers name it. */
const slow3g = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const wait = { timeout: 90_000 };

// Notes each moment in which a page that was there shows neither words nor grey bars.
const watchForBlanks = `
  globalThis.blanks = [];
  let wasThere = false;
  setInterval(() => {
    const root = document.getElementById('root');
    const isThere = Boolean(root && (root.innerText.trim() !== '' || root.querySelector('[class*=Skeleton], [aria-busy]')));
    if (wasThere && !isThere) globalThis.blanks.push(location.pathname);
    wasThere ||= isThere;
  }, 50);
`;

describeInBrowser('on slow 3G', (openPage) => {
  const stack = useSharedStack();

  async function makeCalls(page: Page) {
    await buyCredits(page, 5);
    const secret = await createKey(page);
    for (const model of ['demo-small', 'demo-large', 'demo-small']) await callProxy(stack.baseUrl, secret, { model });
  }

  async function openSlow(name: string, prepare?: (page: Page) => Promise<void>) {
    const opened = await openPage({ baseUrl: stack.baseUrl });
    const { page, context } = opened;
    await signUpOnPage(page, name);
    await prepare?.(page);
    await page.getByRole('button', { name: `Account of ${nameOnPage(name)}` }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      const operation = /(?:query|mutation) (\w+)/.exec(request.postData() ?? '')?.[1];
      if (operation) asked.push(operation);
    });
    await page.addInitScript(watchForBlanks);
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', slow3g);
    return { ...opened, asked };
  }

  // Notices that are no faults are alerts, too.
  const faultWords = /could not|cannot|did not|failed|wrong|error/i;
  const noAlert = async (page: Page) =>
    expect((await page.getByRole('alert').allInnerTexts()).filter((words) => faultWords.test(words))).toEqual([]);

  it('one signs in once, whatever is pressed, and reads overview, requests and a receipt, with something to see all the while', async () => {
    const { page, asked, faults } = await openSlow('Margaret Hamilton', makeCalls);
    await page.goto('/sign-in', wait);
    await page.getByRole('textbox', { name: 'E-mail' }).fill(emailOf('Margaret Hamilton'));
    await page.getByRole('textbox', { name: 'Password' }).fill(journeyPassword);
    const button = page.getByRole('button', { name: 'Sign in', exact: true });
    await button.dblclick();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Balance' }).waitFor(wait);
    expect(asked.filter((name) => name === 'SignIn')).toHaveLength(1);
    await noAlert(page);

    await page.getByRole('link', { name: 'Requests', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor(wait);
    const receipt = page.getByRole('button', { name: /^Receipt of the call/ }).first();
    await receipt.waitFor(wait);
    await noAlert(page);
    await receipt.click();
    await page
      .getByRole('dialog', { name: 'Receipt' })
      .getByRole('row', { name: /^Charged/ })
      .waitFor(wait);
    await noAlert(page);

    // The same by its address, as from a bookmark.
    await page.reload(wait);
    await page
      .getByRole('dialog', { name: 'Receipt' })
      .getByRole('row', { name: /^Charged/ })
      .waitFor(wait);
    await noAlert(page);
    expect(await page.evaluate('globalThis.blanks')).toEqual([]);
    expect(faults).toEqual([]);
  }, 300_000);

  it('a key is made once, however often the button is pressed', async () => {
    const { page, asked } = await openSlow('Joan Ball');
    await page.goto('/sign-in?next=/keys', wait);
    await page.getByRole('textbox', { name: 'E-mail' }).fill(emailOf('Joan Ball'));
    await page.getByRole('textbox', { name: 'Password' }).fill(journeyPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create key' }).click(wait);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Phone', wait);
    await dialog.getByRole('button', { name: 'Create key' }).dblclick();
    await page.getByRole('region', { name: 'your key', exact: true }).waitFor(wait);
    expect(asked.filter((name) => name === 'CreateApiKey')).toHaveLength(1);
    expect(await page.evaluate('globalThis.blanks')).toEqual([]);
  }, 240_000);
});

describeInBrowser('back and forward', (openPage) => {
  const stack = useSharedStack();

  it('lead through pages with their filters, and through an open receipt', async () => {
    const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(page, 'Ruth Teitelbaum');
    await buyCredits(page, 5);
    const secret = await createKey(page);
    for (const model of ['demo-small', 'demo-large', 'demo-small']) await callProxy(stack.baseUrl, secret, { model });
    const rows = page.getByRole('table', { name: 'Requests' }).getByRole('row');
    const goTo = (name: string) => page.getByRole('link', { name, exact: true }).first().click();
    const receipt = page.getByRole('dialog', { name: 'Receipt' });

    await goTo('Requests');
    await rows.nth(3).waitFor();
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option', { name: 'demo-small', exact: true }).click();
    await rows.nth(3).waitFor({ state: 'detached' });
    await rows.nth(1).getByRole('button').click();
    await receipt.waitFor();
    await page.goBack();
    await receipt.waitFor({ state: 'detached' });
    await goTo('Usage');
    await page.getByText('By key', { exact: true }).click();
    await page.waitForURL(/by=key/);
    await page.getByRole('radiogroup', { name: 'Time' }).getByText('7d', { exact: true }).click();
    await page.waitForURL(/range=7d/);
    await goTo('Explore');
    await page.getByRole('heading', { name: 'Explore', level: 1 }).waitFor();

    await page.goBack();
    await page.waitForURL(/\/usage\?(?=.*by=key)(?=.*range=7d)/);
    await page
      .getByRole('table', { name: 'Usage by key' })
      .getByRole('row', { name: /Laptop/ })
      .waitFor();
    await page.goBack();
    await page.waitForURL(/\/requests\?.*model=demo-small/);
    await rows.nth(2).waitFor();
    expect(await rows.count()).toBe(3);
    expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('demo-small');
    await page.goForward();
    await page.goForward();
    await page.getByRole('heading', { name: 'Explore', level: 1 }).waitFor();
    expect(faults).toEqual([]);
  }, 90_000);
});
