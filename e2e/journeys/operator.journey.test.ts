import type { Locator, Page } from 'playwright-core';
import { eventually } from '../../server/test/eventually.js';
import { describeInBrowser } from '../support/browser.js';
import { countInRows } from '../support/count-in-rows.js';
import { looksInWords } from '../support/looks.js';
import { joinAsOperator } from '../support/operator-page.js';
import { useOwnStack } from '../support/own-stack.js';
import { askOnPage, buyCredits, callProxy, createKey, emailOf, signUpOnPage } from '../support/page-account.js';
import { waitUntilCalm } from '../support/page-calm.js';
import { PageGallery } from '../support/page-gallery.js';
import type { PageView } from '../support/page-views.js';
import { press } from '../support/press.js';
import { countPresses } from '../support/press-count.js';

describeInBrowser('the operators’ console', (openPage) => {
  const stack = useOwnStack();

  const joinAs = (page: Page, name: string) => joinAsOperator(page, stack, name);

  it('opens on an empty machine, helps a customer who was charged twice for a call within five clicks, and writes it down', async () => {
    const customer = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(customer.page, 'Mary Jackson');
    await buyCredits(customer.page, 5);
    const secret = await createKey(customer.page);
    const calls = [1, 2].map(() => callProxy(stack.baseUrl, secret, { model: 'demo-small' }));
    const [first = '', second = ''] = (await Promise.all(calls)).map(
      ({ headers }) => headers.get('x-request-id') ?? '',
    );
    const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
    // A customer's session opens nothing here.
    await customer.page.goto('/operator');
    await customer.page.getByRole('heading', { name: 'Operators: sign in' }).waitFor();
    await joinAs(page, 'Grace');

    // From a letter that quotes a call to credits that are there, with the mouse alone where there is a button.
    const presses = await countPresses(page);
    await page.getByRole('searchbox', { name: 'Find an account' }).fill(first);
    await press(page, 'Find');
    await page.getByRole('link', { name: emailOf('Mary Jackson') }).click();
    const receipts = page.getByRole('region', { name: 'Calls' });
    for (const id of [first, second]) await receipts.getByRole('row', { name: id }).getByText('demo-small').waitFor();
    await press(page, 'Give credits');
    const dialog = page.getByRole('dialog', { name: 'Give credits' });
    await dialog.getByRole('textbox', { name: 'Credits' }).fill('5000');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Charged twice, ticket 17');
    await dialog.getByRole('button', { name: 'Give credits' }).click();
    await dialog.getByText('credits are available now').waitFor();
    const count = await presses.read();
    expect([count > 0, count <= 5]).toEqual([true, true]);
    await press(page, 'Done');
    await page.getByRole('region', { name: 'Operator actions' }).getByText('Charged twice, ticket 17').waitFor();
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await page.getByText('Charged twice, ticket 17').waitFor();
    await press(page, 'Sign out');
    await page.getByRole('heading', { name: 'Operators: sign in' }).waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it('gives a purchase back and closes the month, by keyboard where it matters', async () => {
    const customer = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(customer.page, 'Annie Easley');
    await buyCredits(customer.page, 5);
    const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
    await joinAs(page, 'Evelyn');
    await page.getByRole('searchbox', { name: 'Find an account' }).fill(emailOf('Annie Easley'));
    await press(page, 'Find');
    await page.getByRole('link', { name: emailOf('Annie Easley') }).click();
    await page.getByRole('button', { name: /^Refund / }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Refund' });
    await dialog.getByRole('textbox', { name: 'Dollars' }).fill('2');
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Not as promised');
    await page.keyboard.press('Enter');
    await dialog.getByText('Done. $2.00 go back, and 2,000 credits were taken.').waitFor();
    await press(page, 'Done');
    await page.getByRole('region', { name: 'Purchases' }).getByText('paid, $2.00 given back').waitFor();

    await page.getByRole('link', { name: 'Money', exact: true }).click();
    await page.getByRole('region', { name: 'The month', exact: true }).getByText('Closing liability').waitFor();
    // A day is one line on the narrowest phone.
    await page.setViewportSize({ width: 320, height: 800 });
    const day = page.getByRole('list', { name: 'The month by day' }).getByRole('listitem').first();
    await day.waitFor();
    expect(await countInRows(day.locator('summary > span'))).toEqual([2]);
    await page.setViewportSize({ width: 1280, height: 900 });
    const saving = page.waitForEvent('download');
    await press(page, 'Close as CSV');
    const stream = await (await saving).createReadStream();
    const pieces: Buffer[] = [];
    for await (const piece of stream) pieces.push(piece as Buffer);
    const lines = Buffer.concat(pieces).toString('utf8').trimEnd().split('\r\n');
    const names = (lines[0] ?? '').split(',');
    const total = (lines.at(-1) ?? '').split(',');
    expect(Number(total[names.indexOf('refunds')])).toBeLessThanOrEqual(-2_000);
    const figures = total.slice(1, names.indexOf('closing')).map((text) => Number(text.replace('.', '')));
    expect(figures.reduce((sum, amount) => sum + amount, 0)).toBe(
      Number((total[names.indexOf('closing')] ?? '').replace('.', '')),
    );
    expect(faults).toEqual([]);
  }, 120_000);

  it('stops calls for a while and tells everybody, who can go on with all else', async () => {
    const customer = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(customer.page, 'Christine Darden');
    const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
    await joinAs(page, 'Valerie');
    await page.getByRole('link', { name: 'Watching', exact: true }).click();
    // None of the six figures stands in a row by itself.
    const figures = page.getByRole('region', { name: 'Figures' }).locator('dl > div');
    for (const [width, rows] of [
      [1440, [6]],
      [768, [3, 3]],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await figures.first().waitFor();
      expect(await countInRows(figures)).toEqual(rows);
    }
    // All pages stand in one line on the narrowest phone, with the current one in sight.
    await page.setViewportSize({ width: 320, height: 800 });
    await page.getByRole('link', { name: 'Operators', exact: true }).click();
    const pagesOfConsole = page.getByRole('navigation', { name: 'Console' }).getByRole('link');
    expect(await countInRows(pagesOfConsole)).toEqual([9]);
    const current = await page.getByRole('link', { name: 'Operators', exact: true }).boundingBox();
    expect((current?.x ?? 0) + (current?.width ?? 999)).toBeLessThanOrEqual(320);
    await page.getByRole('link', { name: 'Watching', exact: true }).click();
    await page.setViewportSize({ width: 1280, height: 900 });
    const card = page.getByRole('region', { name: 'Announcements and maintenance' });
    const fill = async (label: string, text: string) => {
      await card.getByRole('button', { name: label }).click();
      const dialog = page.getByRole('dialog', { name: label });
      await dialog.getByRole('textbox', { name: 'Text' }).fill(text);
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('A test');
      await dialog.getByRole('button', { name: label }).click();
      await card.getByText(text).first().waitFor();
    };
    await fill('Announce', 'New models are here.');
    await fill('Begin maintenance', 'A larger disk.');

    await customer.page.goto('/playground');
    const told = customer.page.getByRole('region', { name: 'Announcements' });
    await told.getByText('New calls are refused until it ends').waitFor();
    // It comes after the page itself.
    const show = (page: Page) => page.getByText('New calls are refused until it ends').waitFor();
    const looked = await new PageGallery(customer).lookAtAll('announced', [{ title: 'keys', path: '/keys', show }]);
    expect(looked.faults).toEqual([]);
    await told.getByRole('button', { name: 'Close this announcement' }).click();
    await customer.page.reload();
    await told.getByText('A larger disk.').waitFor();
    expect(await told.getByText('New models are here.').count()).toBe(0);
    await customer.page.goto('/status');
    await customer.page.getByText('This server is under maintenance').waitFor();

    await card.getByRole('button', { name: 'End it: A larger disk.' }).click();
    const ending = page.getByRole('dialog', { name: 'End it' });
    await ending.getByRole('textbox', { name: 'Reason' }).fill('Done');
    await ending.getByRole('button', { name: 'End it' }).click();
    await card.getByText('A larger disk.').waitFor({ state: 'detached' });
    await customer.page.reload();
    await customer.page.getByRole('heading', { level: 1 }).waitFor();
    expect(faults).toEqual([]);
  }, 120_000);

  it(`looks as a customer in one tab, its banner always in sight, told and without a change, accessible, ${looksInWords}`, async () => {
    const customer = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(customer.page, 'Melba Mouton');
    await buyCredits(customer.page, 5);
    await callProxy(stack.baseUrl, await createKey(customer.page), { model: 'demo-small' });
    await customer.page.reload();
    const balanceOf = (page: Page) => page.getByRole('region', { name: 'Balance' }).innerText();
    const own = await openPage({ baseUrl: stack.baseUrl });
    // The operator is a customer, too, in the same browser.
    await signUpOnPage(own.page, 'Mary Golda Ross');
    const ownTab = await own.context.newPage();
    const { page, faults } = own;
    await joinAs(page, 'Ellen');
    await page.getByRole('searchbox', { name: 'Find an account' }).fill(emailOf('Melba Mouton'));
    await press(page, 'Find');
    await page.getByRole('link', { name: emailOf('Melba Mouton') }).click();
    await press(page, 'Look as this customer');
    const dialog = page.getByRole('dialog', { name: 'Look as this customer' });
    await dialog.getByRole('checkbox', { name: 'Notify the customer' }).check();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Balance looks wrong, ticket 18');
    await dialog.getByRole('button', { name: 'Look as this customer' }).click();

    const banner = page.getByRole('complementary', { name: 'Customer view' });
    await banner.getByText(`You are looking at ${emailOf('Melba Mouton')} as they see it. Read-only.`).waitFor();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    // How long it lasts comes a moment later on either page.
    await eventually(async () => (await balanceOf(page)) === (await balanceOf(customer.page)), 50);
    await ownTab.goto('/settings');
    const whoIs = (tab: Page, name: string) => tab.getByRole('main').getByText(emailOf(name)).first().waitFor();
    await whoIs(ownTab, 'Mary Golda Ross');
    expect(await ownTab.getByText('Read-only.').count()).toBe(0);
    const looked = await new PageGallery(own).lookAtAll('looked', [{ title: 'requests', path: '/requests' }]);
    expect(looked.faults).toEqual([]);
    const rows = page.getByRole('table', { name: 'Requests' }).getByRole('row');
    expect(await rows.count()).toBe(2);
    /** Where an element begins and ends, in the window. */
    const spanOf = async (element: Locator) => {
      const box = await element.boundingBox();
      return [box?.y ?? Number.NaN, (box?.y ?? 0) + (box?.height ?? 0)] as const;
    };
    await rows.nth(1).getByRole('button').click();
    await page.getByRole('dialog').getByText('demo-small').first().waitFor();
    const [, endPx] = await spanOf(banner);
    expect((await spanOf(page.getByRole('dialog')))[0]).toBe(endPx);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.evaluate('window.scrollTo(0, document.body.scrollHeight)');
    expect(await page.evaluate('window.scrollY > 0')).toBe(true);
    expect([await spanOf(banner), (await spanOf(page.getByRole('banner')))[0]]).toEqual([[0, endPx], endPx]);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('link', { name: 'CSV' }).click();
    await page.getByText('Nothing was downloaded').waitFor();
    await page.goto('/settings');
    await page.getByRole('textbox', { name: 'Name' }).fill('Somebody else');
    await press(page.getByRole('form', { name: 'Profile' }), 'Save');
    await page.getByText('so it is read-only').first().waitFor();
    // What the page still asks when the look ends is refused, and the browser complains of that.
    await waitUntilCalm(page);
    await banner.getByRole('button', { name: 'End' }).click();

    await page.getByRole('region', { name: 'Operator actions' }).getByText('Ended by the operator').waitFor();
    expect(await banner.count()).toBe(0);
    await page.goto('/settings');
    await whoIs(page, 'Mary Golda Ross');
    await customer.page.goto('/settings');
    await customer.page.getByText('An operator opened your dashboard').waitFor();
    // However calm the page was, it may have asked once more while the look ended.
    expect(faults.filter((fault) => !/401 \(Unauthorized\).*\/graphql/.test(fault))).toEqual([]);
  }, 180_000);

  it(`has pages that are accessible and fit their window, ${looksInWords}`, async () => {
    const customer = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(customer.page, 'Dorothy Vaughan');
    const outside = await openPage({ baseUrl: stack.baseUrl });
    const signedOut = [
      { title: 'operator-sign-in', path: '/operator' },
      { title: 'operator-join-over', path: '/operator/join#a-link-that-is-over' },
    ];
    expect((await new PageGallery(outside).lookAtAll('outside', signedOut)).faults).toEqual([]);
    const inside = await openPage({ baseUrl: stack.baseUrl });
    await joinAs(inside.page, 'Katherine');
    const { viewer } = await askOnPage<{ viewer: { id: string } }>(customer.page, '{ viewer { id } }');
    const { page } = inside;
    await page.goto(`/operator/accounts/${viewer.id}`);
    await press(page, 'Mark');
    const marking = page.getByRole('dialog', { name: 'Mark' });
    await marking.getByRole('textbox', { name: 'Note' }).fill('Five accounts, one card');
    await press(marking, 'Mark');
    await page.getByText('Marked: watched.').waitFor();
    await press(page, 'Export');
    const exporting = page.getByRole('dialog', { name: 'Export' });
    await exporting.getByRole('textbox', { name: 'Reason' }).fill('Their letter of May');
    const saving = page.waitForEvent('download');
    await press(exporting, 'Export');
    expect((await saving).suggestedFilename()).toMatch(/^tollgate-account-.*\.json$/);
    await exporting.getByText('The download has started.').waitFor();
    await page.goto('/operator/people');
    await press(page, 'New token');
    const making = page.getByRole('dialog', { name: 'New token' });
    await making.getByRole('textbox', { name: 'Name' }).fill('Nightly');
    await making.getByRole('textbox', { name: 'Reason' }).fill('The nightly report');
    await press(making, 'New token');
    await making.getByText(/op-tg-/).waitFor();
    await press(making, 'I have saved it');
    await page.getByRole('region', { name: 'Tokens' }).getByText('Nightly').first().waitFor();
    const views: readonly PageView[] = [
      { title: 'operator-accounts', path: `/operator?find=${encodeURIComponent('dorothy')}` },
      { title: 'operator-account', path: `/operator/accounts/${viewer.id}` },
      {
        title: 'operator-act',
        path: `/operator/accounts/${viewer.id}`,
        show: (page) => press(page, 'Give credits'),
      },
      {
        title: 'operator-mark',
        path: `/operator/accounts/${viewer.id}`,
        show: (page) => press(page, 'Mark'),
      },
      { title: 'operator-money', path: '/operator/money' },
      { title: 'operator-gifts', path: '/operator/money', show: (page) => press(page, 'Create gift codes') },
      { title: 'operator-watch', path: '/operator/watch' },
      { title: 'operator-abuse', path: '/operator/abuse' },
      { title: 'operator-setup', path: '/operator/setup' },
      { title: 'operator-log', path: '/operator/log' },
      { title: 'operator-providers', path: '/operator/providers' },
      { title: 'operator-prices', path: '/operator/prices' },
      { title: 'operator-people', path: '/operator/people' },
    ];
    expect((await new PageGallery(inside).lookAtAll('little', views)).faults).toEqual([]);
    expect(inside.faults).toEqual([]);
  }, 180_000);
});
