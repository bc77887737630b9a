import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { buyCredits, callProxy, createKey, signUpOnPage } from '../support/page-account.js';
import { measureOverflowPx } from '../support/page-faults.js';
import { openView, type PageView, pagesInside, viewsOutside, viewsWithData } from '../support/page-views.js';
import { useSharedStack } from '../support/shared-stack.js';

/** Twice the usual, which WCAG asks for. */
const letterPx = 32;

describeInBrowser('letters of twice the usual size, on a phone', (openPage) => {
  const stack = useSharedStack();

  it('make no page wider than its window', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl, width: 390 });
    await enlargeLetters(page);
    const faults: string[] = [];
    const look = async (view: PageView) => {
      await openView(page, view);
      const overflowPx = await measureOverflowPx(page);
      if (overflowPx > 0) faults.push(`${view.title} is ${overflowPx} pixels too wide`);
    };
    for (const view of viewsOutside) await look(view);
    await signUpOnPage(page, 'Dorothy Hodgkin');
    await buyCredits(page, 5);
    await callProxy(stack.baseUrl, await createKey(page), { model: 'demo-small' });
    const receipt = viewsWithData.filter(({ title }) => title === 'receipt');
    for (const view of [...pagesInside, ...receipt]) await look(view);
    expect(faults).toEqual([]);
  }, 300_000);
});

/** As the reader's setting of the browser does, to which widths in `em` answer as well. */
async function enlargeLetters(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setFontSizes', { fontSizes: { standard: letterPx, fixed: letterPx } });
}
