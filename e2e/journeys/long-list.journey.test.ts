import type { Page } from 'playwright-core';
import { createDataSource, openDataSource } from '../../server/database/data-source.js';
import { entities, migrations } from '../../server/entities.js';
import { insertBulkCalls } from '../../server/test/bulk-calls.js';
import { describeInBrowser } from '../support/browser.js';
import { askOnPage, signUpOnPage } from '../support/page-account.js';
import { waitUntilCalm } from '../support/page-calm.js';
import { useSharedStack } from '../support/shared-stack.js';

const callCount = 2_000;
/** A window of 900 pixels has room for 20, and some are kept ready above and below. */
const rowsInPageMax = 60;
const wheelPx = 800;

describeInBrowser('a long list of calls', (openPage) => {
  describe('scrolled to its end', () => {
    const stack = useSharedStack();

    it('shows each of 2,000 calls in its order, and never has more rows in the page than a window needs', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Jean Bartik');
      await makeCalls(page, stack.file);
      await page.goto('/requests');
      await waitUntilCalm(page);
      await page.mouse.move(640, 500);
      const startOfRow = new Map<number, string>();
      let rowsInPage = 0;
      while (!startOfRow.has(callCount)) {
        const rows = await readRows(page);
        rowsInPage = Math.max(rowsInPage, rows.length);
        for (const { number, startedAt } of rows) startOfRow.set(number, startedAt);
        await page.mouse.wheel(0, wheelPx);
        await page.waitForTimeout(30);
      }
      expect(rowsInPage).toBeGreaterThan(20);
      expect(rowsInPage).toBeLessThanOrEqual(rowsInPageMax);
      const starts = [...startOfRow].sort(([one], [other]) => one - other).map(([, startedAt]) => startedAt);
      expect(starts).toHaveLength(callCount);
      expect(starts).toEqual([...new Set(starts)].sort().reverse());
      expect(await page.getByRole('button', { name: 'Load more requests' }).count()).toBe(0);
      expect(faults).toEqual([]);
    }, 120_000);
  });
});

async function makeCalls(page: Page, file: string): Promise<void> {
  const { viewer } = await askOnPage<{ viewer: { id: string } }>(page, '{ viewer { id } }');
  const { createApiKey } = await askOnPage<{ createApiKey: { apiKey: { id: string } } }>(
    page,
    'mutation { createApiKey(input: { name: "Laptop" }) { apiKey { id } } }',
  );
  const source = await openDataSource(createDataSource({ kind: 'sqlite', file }, { entities, migrations }));
  const toMs = Date.now();
  const owner = { accountId: viewer.id, keyId: createApiKey.apiKey.id };
  const time = { fromMs: toMs - 20 * 86_400_000, toMs, hasJournal: false };
  await insertBulkCalls(source, { ...owner, ...time, count: callCount });
  await source.destroy();
}

/** The calls that are in the page; the first has number 1. */
function readRows(page: Page): Promise<{ number: number; startedAt: string }[]> {
  return page.evaluate(`[...document.querySelectorAll('[role=table][aria-label=Requests] [aria-rowindex]:has(time)')].map((row) => ({
    number: Number(row.getAttribute('aria-rowindex')) - 1,
    startedAt: row.querySelector('time').dateTime,
  }))`);
}
