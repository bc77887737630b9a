import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { describeInBrowser } from '../support/browser.js';
import { askOnPage, buyCredits, callProxy, createKey, readDownload, signUpOnPage } from '../support/page-account.js';
import { type Stack, startStack } from '../support/start-stack.js';

interface ListedCalls {
  readonly calls: { readonly edges: readonly { readonly node: { readonly id: string; readonly charged: number } }[] };
}

describeInBrowser('the calls', (openPage) => {
  describeOnEachDatabase('filtered, opened and exported', (openTestDatabase) => {
    let stack: Stack;
    beforeAll(async () => {
      stack = await startStack((await openTestDatabase()).address);
    });
    afterAll(() => stack?.stop());

    it('keeps the filter in the address, opens a receipt, and exports exactly what the API lists', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Radia Perlman');
      await buyCredits(page, 5);
      const secret = await createKey(page);
      for (const model of ['demo-small', 'demo-large', 'demo-small']) await callProxy(stack.baseUrl, secret, { model });

      await page.goto('/requests');
      const rows = page.getByRole('table', { name: 'Requests' }).getByRole('row');
      await rows.nth(3).waitFor();
      await page.getByRole('combobox', { name: 'Model' }).click();
      await page.getByRole('option', { name: 'demo-small', exact: true }).click();
      await page.waitForURL(/model=demo-small/);
      await rows.nth(3).waitFor({ state: 'detached' });
      expect(await rows.count()).toBe(3);

      await page.reload();
      await rows.nth(2).waitFor();
      expect(await rows.count()).toBe(3);

      const { calls } = await askOnPage<ListedCalls>(
        page,
        '{ calls(filter: { model: "demo-small" }) { edges { node { id charged } } } }',
      );
      const listed = calls.edges.map(({ node }) => node);
      await rows.nth(1).getByRole('button').click();
      await page
        .getByRole('dialog')
        .getByText(listed[0]?.id ?? 'none')
        .waitFor();
      expect(page.url()).toContain('model=demo-small');
      expect(page.url()).toContain(`request=${listed[0]?.id}`);
      await page.goBack();
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      const downloading = page.waitForEvent('download');
      await page.getByRole('link', { name: 'CSV' }).click();
      const [header = '', ...lines] = (await readDownload(await downloading)).trim().split(/\r?\n/);
      const idColumn = header.split(',').findIndex((name) => /^(id|call|call_id)$/.test(name.trim()));
      expect(lines.map((line) => line.split(',')[idColumn]).sort()).toEqual(listed.map(({ id }) => id).sort());
      expect(faults).toEqual([]);
    }, 90_000);

    it('shows a new call by itself while it is live', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Karen Jones');
      await buyCredits(page, 5);
      const secret = await createKey(page);
      await callProxy(stack.baseUrl, secret, { model: 'demo-small' });
      await page.goto('/requests');
      const rows = page.getByRole('table', { name: 'Requests' }).getByRole('row');
      await rows.nth(1).waitFor();
      await page.getByRole('switch', { name: 'Live' }).click();
      await callProxy(stack.baseUrl, secret, { model: 'demo-large' });
      await rows.nth(1).getByText('demo-large').waitFor();
      expect(await rows.count()).toBe(3);
    }, 60_000);
  });
});
