import { describeInBrowser } from '../support/browser.js';
import { buyCredits, callProxy, createKey, signUpOnPage } from '../support/page-account.js';
import { listSmallTargets } from '../support/page-targets.js';
import { openView, type PageView, pagesInside, viewsOutside } from '../support/page-views.js';
import { useSharedStack } from '../support/shared-stack.js';

describeInBrowser('on a screen that is touched', (openPage) => {
  const stack = useSharedStack();

  it('everything that can be pressed is as large as a fingertip, on every page', async () => {
    const { page } = await openPage({ baseUrl: stack.baseUrl, width: 390, isTouched: true });
    const faults: string[] = [];
    const look = async (view: PageView) => {
      await openView(page, view);
      faults.push(...(await listSmallTargets(page)).map((target) => `${view.title}: ${target}`));
    };
    for (const view of viewsOutside) await look(view);
    await signUpOnPage(page, 'Annie Easley');
    await buyCredits(page, 5);
    await callProxy(stack.baseUrl, await createKey(page), { model: 'demo-small' });
    for (const view of pagesInside) await look(view);
    expect(faults).toEqual([]);
  }, 300_000);
});
