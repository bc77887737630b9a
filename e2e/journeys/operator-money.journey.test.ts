import { rmSync } from 'node:fs';
import { createId } from '../../server/kernel/ids.js';
import { SettlementQuarantine } from '../../server/ledger/settlements/settlement-quarantine.js';
import { endingWith } from '../../server/test/ledger-fixture.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { describeInBrowser } from '../support/browser.js';
import { joinAsOperator } from '../support/operator-page.js';
import { useOwnStack } from '../support/own-stack.js';
import { askOnPage, signUpOnPage } from '../support/page-account.js';
import { PageGallery } from '../support/page-gallery.js';
import { press } from '../support/press.js';

describeInBrowser('money at the console that needs a person', (openPage) => {
  const spool = makeTestFolder('operator-money');
  const stack = useOwnStack(() => ({ SPOOL_DIR: spool }));
  afterAll(() => rmSync(spool, { recursive: true, force: true }));

  it('makes gift codes, revokes one, and decides about settlements that the ledger refused', async () => {
    const customer = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(customer.page, 'Christine Darden');
    const { viewer } = await askOnPage<{ viewer: { id: string } }>(customer.page, '{ viewer { id } }');
    const quarantine = new SettlementQuarantine(spool);
    const [first, second] = [createId('call'), createId('call')];
    for (const [callId, tokens] of [
      [first, 1_234],
      [second, 56],
    ] as const)
      await quarantine.add({ callId, accountId: viewer.id, ending: endingWith(tokens, 7) }, 'unknown_hold');

    const operator = await openPage({ baseUrl: stack.baseUrl });
    const { page } = operator;
    await joinAsOperator(page, stack, 'Grace');
    await page.goto('/operator/money');
    await press(page, 'Create gift codes');
    const making = page.getByRole('dialog', { name: 'Create gift codes' });
    await making.getByRole('textbox', { name: 'Codes' }).fill('3');
    await making.getByRole('textbox', { name: 'Credits' }).fill('500');
    await making.getByRole('textbox', { name: 'Reason' }).fill('For the meeting in May');
    await press(making, 'Create gift codes');
    await making.getByText(/gift/i).last().waitFor();
    await press(making, 'I have saved it');
    const codes = page.getByRole('region', { name: 'Gift codes', exact: true });
    await codes
      .getByRole('button', { name: /^Revoke …/ })
      .first()
      .click();
    const revoking = page.getByRole('dialog', { name: 'Revoke' });
    await revoking.getByRole('textbox', { name: 'Reason' }).fill('Sent to nobody');
    await press(revoking, 'Revoke');
    await revoking.waitFor({ state: 'detached' });
    await codes.getByText('revoked', { exact: true }).waitFor();

    const { faults } = await new PageGallery(operator).lookAtAll('desk', [
      {
        title: 'operator-money-desk',
        path: '/operator/money',
        show: (shown) => shown.getByText(second).waitFor(),
      },
    ]);
    expect(faults).toEqual([]);

    await page.goto('/operator/money');
    const refused = page.getByRole('region', { name: 'Refused settlements', exact: true });
    const decide = async (callId: string, name: 'Book' | 'Dismiss') => {
      await press(refused.getByRole('row', { name: callId }), name);
      const deciding = page.getByRole('dialog', { name });
      await deciding.getByRole('textbox', { name: 'Reason' }).fill('Looked at, ticket 18');
      await press(deciding, name);
      return deciding;
    };
    // The ledger knows no such call, so it refuses it again, and says so; then it stays.
    const again = await decide(first, 'Book');
    await again.getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await refused.getByText(first).waitFor();
    for (const callId of [first, second]) await (await decide(callId, 'Dismiss')).waitFor({ state: 'detached' });
    await refused.waitFor({ state: 'detached' });
    expect(await quarantine.count()).toBe(0);
    await page.goto('/operator/log');
    await page.getByText('Looked at, ticket 18').first().waitFor();
  }, 180_000);
});
