import { describeInBrowser } from '../support/browser.js';
import { KeyboardUser } from '../support/keyboard-user.js';
import { askOnPage, buyCredits, callProxy, createKey, readDownload, signUpOnPage } from '../support/page-account.js';
import { useSharedStack } from '../support/shared-stack.js';

describeInBrowser('explore, shared receipts and proof', (openPage) => {
  const stack = useSharedStack();

  async function openWithCalls(name: string) {
    const opened = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(opened.page, name);
    await buyCredits(opened.page, 5);
    const secret = await createKey(opened.page);
    for (const model of ['demo-small', 'demo-large', 'demo-small']) await callProxy(stack.baseUrl, secret, { model });
    return opened;
  }

  it('answers by mouse what the ledger charged, keeps the view, and leads to the requests behind a group', async () => {
    const { page, faults } = await openWithCalls('Katherine Johnson');
    const { spending } = await askOnPage<{ spending: { daily: number[] } }>(page, '{ spending { daily } }');
    await page.goto('/explore?as=table');
    const groups = page.getByRole('table', { name: 'Groups' });
    await groups.getByRole('row', { name: /demo-large/ }).waitFor();
    const figures = page.getByRole('table', { name: 'Cost per day, by model' });
    const total = await figures.getByRole('row', { name: /^Total/ }).innerText();
    const charged = (spending.daily.at(-1) ?? 0).toFixed(3);
    expect(total.split('\t').at(-1)?.trim()).toBe(charged);

    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const lines = (await readDownload(await downloading)).trim().split('\r\n');
    expect(lines.at(-1)?.split(',').at(-1)).toBe(charged);
    expect(lines).toHaveLength(32);

    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('textbox', { name: 'Name of this view' }).fill('As a table');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.goto('/explore');
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('button', { name: 'As a table', exact: true }).click();
    await page.waitForURL(/as=table/);

    // For all members of the account, and so in another browser as well.
    await page.getByRole('button', { name: 'Saved views' }).click();
    await page.getByRole('textbox', { name: 'Name of this view' }).fill('Of the team');
    await page.getByRole('checkbox', { name: 'For all members of this account' }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const ofAccount = page.getByRole('list', { name: 'In this account' });
    await ofAccount.getByRole('button', { name: 'Of the team', exact: true }).waitFor();
    await page.evaluate('localStorage.clear()');
    await page.goto('/explore');
    await page.getByRole('button', { name: 'Saved views' }).click();
    expect(await page.getByRole('list', { name: 'In this browser' }).count()).toBe(0);
    await ofAccount.getByRole('button', { name: 'Of the team', exact: true }).click();
    await page.waitForURL(/as=table/);

    await groups.getByRole('link', { name: 'Show requests of demo-small' }).click();
    await page.waitForURL(/\/requests\?.*model=demo-small/);
    await page.getByRole('table', { name: 'Requests' }).getByRole('row').nth(2).waitFor();
    // Back is the view as it was left, forward the requests behind its group.
    await page.goBack();
    await page.waitForURL(/\/explore\?.*as=table/);
    await figures.getByRole('row', { name: /^Total/ }).waitFor();
    await page.goForward();
    await page.waitForURL(/\/requests\?.*model=demo-small/);
    await page.getByRole('table', { name: 'Requests' }).getByRole('row').nth(2).waitFor();

    // Room for the title on phones, and for the labels of an axis.
    await page.goto('/explore');
    const title = page.getByRole('heading', { name: 'Cost per day, by model' });
    await title.waitFor();
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect((await title.boundingBox())?.width).toBeGreaterThan(150);
    }
    // A part of a bar leads to its group's requests of that day.
    const chart = page.getByRole('img', { name: /^Cost per day, by model/ });
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) - 6, (box?.y ?? 0) + (box?.height ?? 0) - 28];
    await page.mouse.move(x, y);
    await page.getByText(/^Click to see requests of demo-/).waitFor();
    await page.mouse.click(x, y);
    await page.waitForURL(/\/requests\?model=demo-\w+&from=([\d-]+)&to=\1$/);
    await page.getByRole('table', { name: 'Requests' }).getByRole('row').nth(1).waitFor();

    await page.goto('/explore?metric=p95');
    await page.getByRole('heading', { name: 'Latency p95 per day, by model' }).waitFor();
    const beyond = `[...document.querySelectorAll('main [role=img] span')]
      .filter((one) => one.textContent && one.getBoundingClientRect().left < one.closest('[role=img]').getBoundingClientRect().left)
      .map((one) => one.textContent)`;
    expect(await page.evaluate(beyond)).toEqual([]);
    expect(faults).toEqual([]);
  }, 90_000);

  it('is asked by keyboard alone', async () => {
    const { page } = await openWithCalls('Dorothy Vaughan');
    const user = new KeyboardUser(page);
    await user.jumpTo('latency', 'Explore');
    await user.choose(page.getByRole('combobox', { name: 'Show', exact: true }), 'Requests');
    await page.waitForURL(/metric=requests/);
    await user.choose(page.getByRole('combobox', { name: 'Group', exact: true }), 'By key');
    await page
      .getByRole('table', { name: 'Groups' })
      .getByRole('row', { name: /Laptop/ })
      .waitFor();
    await user.tabTo(page.getByRole('switch', { name: 'Period before' }));
    await user.press('Space');
    await page.getByRole('columnheader', { name: 'Change' }).waitFor();
    await user.tabTo(page.getByText('Show this chart as a table'));
    await user.press('Enter');
    await user.tabTo(page.getByRole('link', { name: /^Show requests of .* UTC$/ }).first());
    await user.press('Enter');
    await page.waitForURL(/\/requests\?from=([\d-]+)&to=\1$/);
    await page.getByRole('table', { name: 'Requests' }).getByRole('row').nth(3).waitFor();
  }, 90_000);

  it('shares a receipt with whoever has the link, without the key, until its owner ends it', async () => {
    const { page } = await openWithCalls('Mary Jackson');
    // Where calls were before.
    await page.goto('/calls?outcome=completed');
    await page.waitForURL(/\/requests\?status=completed/);
    await page
      .getByRole('button', { name: /^Receipt of the call/ })
      .first()
      .click();
    const receipt = page.getByRole('dialog', { name: 'Receipt' });
    await receipt.getByText('Given back').waitFor();
    await receipt.getByRole('button', { name: 'Share' }).click();
    await receipt.getByRole('button', { name: 'Create link' }).click();
    const address = await receipt.getByRole('textbox', { name: 'Link to this receipt' }).inputValue();

    const { page: stranger } = await openPage({ baseUrl: stack.baseUrl });
    await stranger.goto(address);
    await stranger.getByRole('row', { name: /^Charged/ }).waitFor();
    expect(await stranger.getByText('Laptop').count()).toBe(0);
    await receipt.getByRole('button', { name: 'Stop sharing' }).click();
    await receipt.getByRole('status').waitFor();
    await stranger.reload();
    await stranger.getByText('Receipt not found').waitFor();
  }, 90_000);

  it('proves by mouse that the books add up, with a narrowed statement as CSV and a receipt of the purchase', async () => {
    const { page, faults } = await openWithCalls('Annie Easley');
    const { viewer } = await askOnPage<{ viewer: { balance: { available: number } } }>(
      page,
      '{ viewer { balance { available } } }',
    );
    await page.goto('/credits');
    await page.getByRole('link', { name: 'Proof', exact: true }).last().click();
    const proof = page.getByRole('table', { name: 'Proof' });
    const read = async (name: RegExp) => {
      const cells = await proof.getByRole('row', { name }).getByRole('cell').innerText();
      return Number(cells.replaceAll(',', ''));
    };
    expect(await read(/^Left/)).toBe(viewer.balance.available);
    expect(await read(/^Difference/)).toBe(0);
    const [creditsIn, used, reserved] = [await read(/^Credits in/), await read(/^Used/), await read(/^Reserved/)];
    expect(Math.round((creditsIn - used - reserved) * 1_000)).toBe(Math.round(viewer.balance.available * 1_000));

    await page.getByRole('combobox', { name: 'Lines' }).click();
    await page.getByRole('option', { name: 'Purchases' }).click();
    await page.waitForURL(/lines=purchases/);
    const statement = page.getByRole('table', { name: 'Statement' });
    await statement.getByRole('row').nth(2).waitFor({ state: 'detached' });
    await statement.getByText('Purchase').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV', exact: true }).click();
    const lines = (await readDownload(await downloading)).trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(',purchase,5000.000,');

    await page.getByRole('link', { name: 'Receipt of the purchase of $5' }).click();
    await page.getByRole('heading', { name: '$5.00' }).waitFor();
    await page.getByText('Simulated checkout: no real money moved').waitFor();
    await page.goto('/purchases/pur_00000000000000000000000000/receipt');
    await page.getByText('Receipt not found').waitFor();
    expect(faults).toEqual([]);
  }, 90_000);

  it('narrows the statement and opens a receipt by keyboard alone', async () => {
    const { page } = await openWithCalls('Mary Golda Ross');
    const user = new KeyboardUser(page);
    await user.jumpTo('books', 'Proof');
    await user.tabTo(page.getByText('What is checked'));
    await user.press('Enter');
    await page.getByText('no wallet is overspent').waitFor();
    await user.choose(page.getByRole('combobox', { name: 'Lines' }), 'Purchases');
    await page.waitForURL(/lines=purchases/);
    await user.tabTo(page.getByRole('link', { name: 'Receipt of the purchase of $5' }));
    await user.press('Enter');
    await page.getByRole('heading', { name: '$5.00' }).waitFor();
  }, 90_000);

  it('shows by mouse and by keyboard how long balance and budgets last, and marks what was told as read', async () => {
    const { page, faults } = await openWithCalls('Evelyn Boyd Granville');
    const { apiKeys } = await askOnPage<{ apiKeys: { id: string }[] }>(page, '{ apiKeys { id } }');
    await askOnPage(
      page,
      'mutation ($id: ID!) { updateApiKey(id: $id, input: { name: "Laptop", spendLimit: 0.001, spendPeriod: MONTH }) { id } }',
      { id: apiKeys[0]?.id },
    );
    // Nobody listens there, so it waits for its next attempt.
    await askOnPage(
      page,
      'mutation { setBalanceAlert(input: { threshold: 100000, email: false, webhookUrl: "http://127.0.0.1:9/hook" }) { use } }',
    );
    await page.goto('/');
    await page.getByRole('link', { name: 'Budgets', exact: true }).first().click();
    await page.getByRole('img', { name: 'The balance over the coming days' }).waitFor();
    await page.getByText('At the average of 30 days').first().waitFor();
    await page
      .getByRole('list', { name: 'Budgets of keys' })
      .getByText(/^Laptop is stopped until .* UTC\.$/)
      .waitFor();
    const told = page.getByRole('table', { name: 'Notifications' });
    await told.getByText('New: Your balance is below 100,000 credits').waitFor();
    const user = new KeyboardUser(page);
    await user.tabTo(page.getByRole('button', { name: /^Mark \d+ as read$/ }));
    await user.press('Enter');
    // The alert of the key's budget may be told meanwhile, and is new then.
    await told.getByText('New: Your balance is below').waitFor({ state: 'detached' });
    await page.reload();
    await told.getByText('Your balance is below').waitFor();
    expect(await page.getByText('New: Your balance is below').count()).toBe(0);

    await page.goto('/credits');
    await page.getByRole('checkbox', { name: 'Also budgets, balance levels and spikes' }).check();
    await page.getByRole('region', { name: 'Low-balance alert' }).getByRole('button', { name: 'Save' }).click();
    await page.getByText('The alert is on.').waitFor();
    const { balanceAlert } = await askOnPage<{ balanceAlert: { use: boolean } }>(page, '{ balanceAlert { use } }');
    expect(balanceAlert.use).toBe(true);
    expect(faults).toEqual([]);
  }, 90_000);
});
