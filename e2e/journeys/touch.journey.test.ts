import { describeInBrowser } from '../support/browser.js';
import { buyCredits, callProxy, createKey, signUpOnPage } from '../support/page-account.js';
import { waitUntilCalm } from '../support/page-calm.js';
import { listSmallTargets } from '../support/page-targets.js';
import { type PageView, pagesInside, viewsOutside } from '../support/page-views.js';
import { useSharedStack } from '../support/shared-stack.js';

describeInBrowser('on a screen that is touched', (openPage) => {
  const stack = useSharedStack();

  it('everything that can be pressed is as large as a fingertip, on every page', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl, width: 390, isTouched: true });
    const faults: string[] = [];
    const look = async ({ title, path, show }: PageView) => {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await waitUntilCalm(page);
      await show?.(page);
      faults.push(...(await listSmallTargets(page)).map((target) => `${title}: ${target}`));
    };
    for (const view of viewsOutside) await look(view);
    await signUpOnPage(page, 'Annie Easley');
    await buyCredits(page, 5);
    await callProxy(stack.baseUrl, await createKey(page), { model: 'demo-small' });
    for (const view of pagesInside) await look(view);
    expect(faults).toEqual([]);
  }, 300_000);
});
