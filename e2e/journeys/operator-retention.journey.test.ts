import { describeInBrowser } from '../support/browser.js';
import { joinAsOperator } from '../support/operator-page.js';
import { useOwnStack } from '../support/own-stack.js';
import { PageGallery } from '../support/page-gallery.js';
import { press } from '../support/press.js';

describeInBrowser('how long data is kept, at the console', (openPage) => {
  const stack = useOwnStack();

  it('is listed, chosen by number alone, in force later when it is shorter, and taken back', async () => {
    const operator = await openPage({ baseUrl: stack.baseUrl });
    const { page } = operator;
    await joinAsOperator(page, stack, 'Grace');
    await page.goto('/operator/setup');
    const card = page.getByRole('region', { name: 'How long data is kept', exact: true });
    await card.getByText('Set by RETENTION_DAYS.').waitFor();
    await card.getByText('Refused requests').waitFor();
    await press(card, 'Set a time for receipts');
    const dialog = page.getByRole('dialog', { name: 'Set a time for receipts' });
    const days = dialog.getByRole('textbox', { name: 'Days' });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('A rule of the house');
    await days.fill('a year');
    await press(dialog, 'Set a time for receipts');
    expect(await days.evaluate((field) => field.matches(':invalid'))).toBe(true);
    await days.fill('61');
    await press(dialog, 'Set a time for receipts');
    await dialog.getByText('Receipts are kept for 62 to 36500 days, or for ever.').waitFor();
    await days.fill('400');
    await press(dialog, 'Set a time for receipts');
    await dialog.waitFor({ state: 'detached' });
    await card.getByText(/on, receipts are kept for 400 days after their month\./).waitFor();

    const { faults } = await new PageGallery(operator).lookAtAll('retention', [
      {
        title: 'operator-retention',
        path: '/operator/setup',
        show: (shown) => shown.getByText('on, receipts are kept for 400 days').waitFor(),
      },
    ]);
    expect(faults).toEqual([]);

    await press(card, 'Keep receipts forever');
    const undoing = page.getByRole('dialog', { name: 'Keep receipts forever' });
    await undoing.getByRole('textbox', { name: 'Reason' }).fill('A mistake');
    await press(undoing, 'Keep receipts forever');
    await undoing.waitFor({ state: 'detached' });
    await card.getByText('Chosen here.').waitFor();
    expect(await card.getByText('for 400 days').count()).toBe(0);
    await page.goto('/operator/log');
    await page.getByText('A rule of the house').waitFor();
    expect(operator.faults).toEqual([]);
  }, 120_000);
});
