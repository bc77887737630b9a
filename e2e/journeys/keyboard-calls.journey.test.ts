import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { KeyboardUser } from '../support/keyboard-user.js';
import { buyCredits, callProxy, createKey, readDownload, signUpOnPage } from '../support/page-account.js';
import { useSharedStack } from '../support/shared-stack.js';

describeInBrowser('calls, usage and models by keyboard alone', (openPage) => {
  describe('of an account with three calls', () => {
    const stack = useSharedStack();
    let page: Page;
    let user: KeyboardUser;
    beforeAll(async () => {
      ({ page } = await openPage({ baseUrl: stack.baseUrl }));
      user = new KeyboardUser(page);
      await signUpOnPage(page, 'Radia Perlman');
      await buyCredits(page, 5);
      const secret = await createKey(page);
      for (const model of ['demo-small', 'demo-large', 'demo-small']) await callProxy(stack.baseUrl, secret, { model });
    }, 60_000);

    const rows = () => page.getByRole('table', { name: 'Requests' }).getByRole('row');

    it('filters the calls, opens a receipt and comes back to its row, chooses days, and exports', async () => {
      await user.jumpTo('receipt', 'Requests');
      await rows().nth(3).waitFor();
      const model = page.getByRole('combobox', { name: 'Model' });
      await user.choose(model, 'demo-small');
      await page.waitForURL(/model=demo-small/);
      await rows().nth(3).waitFor({ state: 'detached' });
      await user.expectFocusOn(model);

      const row = rows().nth(2).getByRole('button');
      await user.pressOn(row);
      const receipt = page.getByRole('dialog', { name: 'Receipt' });
      await receipt.getByRole('row', { name: /^Charged/ }).waitFor();
      await user.expectTrappedIn(receipt);
      await user.expectEscapeReturnsTo(row);

      const downloading = page.waitForEvent('download');
      await user.tabBackTo(page.getByRole('link', { name: 'CSV' }));
      await user.press('Enter');
      const csv = await readDownload(await downloading);
      expect(csv.trim().split(/\r?\n/)).toHaveLength(3);

      await user.pressOn(page.getByRole('button', { name: 'Any model' }));
      await rows().nth(3).waitFor();
      await user.expectFocusKept();
      await chooseDays(user, '2026-01-01', '2026-01-02');
      await page.getByText('No matching requests').waitFor();
      await user.pressOn(page.getByRole('button', { name: 'All requests' }));
      await rows().nth(3).waitFor();
      await user.expectFocusOn(page.getByRole('heading', { name: 'All requests' }));
    }, 60_000);

    it('keeps filters, deletes them, chooses columns, sorts by heads and shares a receipt, with the focus where it goes on', async () => {
      await page.goto('/requests');
      await rows().nth(3).waitFor();
      const opener = page.getByRole('button', { name: 'Saved filters' });
      const saved = page.getByRole('dialog', { name: 'Saved filters' });
      const name = saved.getByRole('textbox', { name: 'Name of this view' });
      await user.pressOn(opener);
      await user.expectFocusOn(name);
      for (const word of ['Mornings', 'Evenings']) {
        await page.keyboard.type(word);
        await user.pressOn(saved.getByRole('button', { name: 'Save' }));
        await saved.getByRole('button', { name: word, exact: true }).waitFor();
        await user.expectFocusOn(name);
      }
      await user.expectTrappedIn(saved);
      await user.pressOn(saved.getByRole('button', { name: 'Delete Mornings' }));
      await user.expectFocusOn(saved.getByRole('button', { name: 'Evenings', exact: true }));
      await user.pressOn(saved.getByRole('button', { name: 'Delete Evenings' }));
      await user.expectFocusOn(name);
      await user.expectEscapeReturnsTo(opener);

      const columns = page.getByRole('button', { name: 'Columns' });
      await user.tabBackTo(columns);
      await user.press('Enter');
      await user.tabTo(page.getByRole('checkbox', { name: 'Tag' }));
      await user.press('Space');
      await page.getByRole('columnheader', { name: 'Tag' }).waitFor();
      await user.expectFocusOn(page.getByRole('checkbox', { name: 'Tag' }));
      await user.expectEscapeReturnsTo(columns);

      const cost = page.getByRole('columnheader', { name: 'Credits' });
      await user.pressOn(cost.getByRole('button'));
      await page.waitForURL(/sort=cost/);
      await page.getByText(/^The 50 most expensive/).waitFor();
      await user.expectFocusOn(cost.getByRole('button'));
      expect(await cost.getAttribute('aria-sort')).toBe('descending');

      const row = rows().nth(1).getByRole('button');
      await user.pressOn(row);
      const receipt = page.getByRole('dialog', { name: 'Receipt' });
      await user.pressOn(receipt.getByRole('button', { name: 'Share' }));
      await user.pressOn(receipt.getByRole('button', { name: 'Create link' }));
      await receipt.getByRole('textbox', { name: 'Link to this receipt' }).waitFor();
      await user.expectFocusOn(receipt.getByRole('button', { name: 'Create link' }));
      await user.pressOn(receipt.getByRole('button', { name: 'Stop sharing' }));
      await receipt.getByText('No link to this receipt works any more.').waitFor();
      await user.expectFocusOn(receipt.getByRole('button', { name: 'Stop sharing' }));
      await user.expectEscapeReturnsTo(row);
    }, 60_000);

    it('reads the usage by another measure, another time and by key, and opens the table behind the chart', async () => {
      await user.jumpTo('analytics', 'Usage');
      await user.tabTo(page.getByRole('tab', { name: 'Credits' }));
      await user.press('ArrowRight', 'ArrowRight');
      await user.expectFocusOn(page.getByRole('tab', { name: 'Calls', selected: true }));
      await page.getByRole('table', { name: 'Usage by model' }).waitFor();

      const radio = (group: string, name: string) =>
        page.getByRole('radiogroup', { name: group }).getByRole('radio', { name, exact: true });
      await user.tabBackTo(radio('Group by', 'By model'));
      await user.press('ArrowRight', 'ArrowRight');
      await user.expectFocusOn(radio('Group by', 'By key'));
      await page
        .getByRole('table', { name: 'Usage by key' })
        .getByRole('row', { name: /Laptop 3/ })
        .waitFor();

      await user.tabBackTo(radio('Time', '30d'));
      await user.press('ArrowLeft');
      await user.expectFocusOn(radio('Time', '7d'));
      await page.waitForURL(/range=7d/);

      await user.pressOn(page.getByText('Show this chart as a table'));
      const days = page.getByRole('table', { name: 'Calls per day, by key' }).getByRole('row');
      expect(await days.count()).toBe(8);
      await user.tabTo(page.getByRole('region', { name: 'Table: Calls per day, by key' }));

      await user.tabBackTo(page.getByRole('button', { name: 'Custom' }));
      await user.press('Enter');
      await user.expectFocusOn(page.getByLabel('First day'));
      await user.press('Escape');
      await user.expectFocusOn(page.getByRole('button', { name: 'Custom' }));
      // The button of the month after this one is none that could be pressed.
      await user.press('Enter');
      await user.pressOn(page.getByRole('button', { name: 'Month before' }));
      await user.pressOn(page.getByRole('button', { name: 'Next month' }));
      await user.expectFocusOn(page.getByRole('button', { name: 'Month before' }));
      await user.tabTo(page.getByRole('grid').locator('[tabindex="0"]'));
      await user.press('ArrowUp', 'ArrowUp', 'Enter', 'ArrowRight', 'Enter');
      await user.expectFocusOn(page.getByRole('grid').locator('[tabindex="0"]'));
      await user.expectEscapeReturnsTo(page.getByRole('button', { name: 'Custom' }));
      await chooseDays(user, '2026-01-01', '2026-01-02');
      await page.getByText('Nothing was used').waitFor();
    }, 60_000);

    it('calculates a price, and prefers a provider', async () => {
      await user.jumpTo('catalogue', 'Models');
      const model = page.getByRole('combobox', { name: 'Model', exact: true });
      await user.choose(model, 'demo-large, $2.00 / 1M');
      await user.expectFocusOn(model);
      await user.typeInto(page.getByRole('textbox', { name: 'Prompt tokens' }), '2500');
      const sum = page.getByRole('region', { name: 'What would it cost?' });
      await sum.getByText('6 credits', { exact: true }).waitFor();

      const preferred = page.getByRole('combobox', { name: 'Preferred provider' });
      await user.choose(preferred, 'Demo');
      await page.getByText('demo is asked first.').waitFor();
      await user.expectFocusOn(preferred);

      await user.tabBackTo(page.getByRole('link', { name: 'Try demo-large' }));
      await user.press('Enter');
      await user.expectPage('Playground');
    }, 60_000);
  });
});

/** Types two days of one's own, over those that it opens with, and sees the focus come back to the button. */
async function chooseDays(user: KeyboardUser, first: string, last: string): Promise<void> {
  await user.pressOn(user.page.getByRole('button', { name: 'Custom' }));
  await user.expectFocusOn(user.page.getByLabel('First day'));
  await user.press('Control+A');
  await user.page.keyboard.type(first);
  await user.tabTo(user.page.getByLabel('Last day'));
  await user.press('Control+A');
  await user.page.keyboard.type(last);
  await user.press('Enter');
  await user.page.waitForURL(/from=2026-01-01/);
  await user.expectFocusOn(user.page.getByRole('button', { name: /^1.+2 Jan 2026 UTC$/ }));
}
