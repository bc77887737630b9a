import { eventually } from '../../server/test/eventually.js';
import { runProgram } from '../../server/test/run-program.js';
import { describeInBrowser } from '../support/browser.js';
import { KeyboardUser } from '../support/keyboard-user.js';
import { buyCredits, callProxy, createKey, findAvailable, signUpOnPage } from '../support/page-account.js';
import { useSharedStack } from '../support/shared-stack.js';

describeInBrowser('credits by keyboard alone', (openPage) => {
  describe('beside buying them', () => {
    const stack = useSharedStack();

    it('redeems a gift code, and is told of one that is none', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await signUpOnPage(page, 'Jean Bartik');
      await user.jumpTo('money', 'Credits');
      const code = page.getByRole('textbox', { name: 'Code', exact: true });
      await user.typeInto(code, 'TG-NONE-NONE-NONE-NONE');
      await user.press('Enter');
      await page.getByText(/^This code cannot be redeemed/).waitFor();
      await user.expectFocusOn(code);
      await user.typeInto(code, await makeGiftCode(stack.file));
      await user.press('Enter');
      await page.getByText('The code added 500 credits.').waitFor();
      expect(await findAvailable(page)).toBe(500_000);
      expect(await code.inputValue()).toBe('');
      await user.expectFocusOn(page.getByRole('heading', { name: 'Gift code' }));
      await page.getByRole('table', { name: 'Statement' }).getByText('Gift').waitFor();
      expect(faults).toEqual([]);
    }, 60_000);

    it('saves a card, turns the automatic top-up on, which a call fires, and off', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await signUpOnPage(page, 'Ruth Teitelbaum');
      await buyCredits(page, 5);
      const secret = await createKey(page);
      await user.jumpTo('money', 'Credits');
      const card = page.getByRole('region', { name: 'Automatic top-up' });
      await user.pressOn(card.getByRole('button', { name: 'Save a card' }));
      await card.getByText('Simulated card ending in 4242: no real money.').waitFor();

      await user.typeInto(card.getByRole('textbox', { name: 'Balance falls below' }), '4999.999');
      await user.typeInto(card.getByRole('textbox', { name: 'Buy for' }), '20');
      await user.typeInto(card.getByRole('textbox', { name: 'Monthly limit' }), '20');
      await user.pressOn(card.getByRole('button', { name: 'Turn on' }));
      await card.getByText(/^Agree to the automatic charges/).waitFor();
      await user.tabBackTo(card.getByRole('checkbox', { name: /^I agree that my saved card is charged/ }));
      await user.press('Space');
      await user.pressOn(card.getByRole('button', { name: 'Turn on' }));
      await card.getByRole('button', { name: 'Turn off' }).waitFor();
      await user.expectFocusOn(page.getByRole('heading', { name: 'Automatic top-up' }));

      expect((await callProxy(stack.baseUrl, secret, { model: 'demo-small' })).status).toBe(200);
      // The charge is made beside the call; the test's own time limit ends the wait.
      await eventually(async () => (await findAvailable(page)) >= 20_000_000, 200);
      await user.pressOn(card.getByRole('button', { name: 'Turn off' }));
      await page.getByText('The automatic top-up is off.').waitFor();
      await user.expectFocusOn(page.getByRole('heading', { name: 'Automatic top-up' }));
      expect(faults).toEqual([]);
    }, 90_000);

    it('sets an alert, is told of an address that is none, and takes the alert back', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await signUpOnPage(page, 'Betty Holberton');
      await user.jumpTo('money', 'Credits');
      const card = page.getByRole('region', { name: 'Low-balance alert' });
      const threshold = card.getByRole('textbox', { name: 'Threshold' });
      const address = card.getByRole('textbox', { name: 'Webhook URL' });
      await user.typeInto(threshold, '100');
      await user.typeInto(address, 'example.com/hook');
      await user.press('Enter');
      await card.getByText(/^Enter an https address/).waitFor();
      await user.expectFocusOn(address);
      await user.typeInto(address, 'https://example.com/hook');
      await user.press('Enter');
      await page.getByText('The alert is on.').waitFor();
      await card.getByText(/^Each delivery carries/).waitFor();
      await user.expectFocusKept();
      await user.tabTo(threshold);
      await user.press('Control+A', 'Delete', 'Enter');
      await page.getByText('The alert is off.').waitFor();
      expect(faults).toEqual([]);
    }, 60_000);
  });
});

/** A code for 500 credits, as the operator makes one beside the running server. */
async function makeGiftCode(databaseFile: string): Promise<string> {
  const words = ['gift-code', 'create', '--credits', '500'];
  const { output } = await runProgram('tollgate.js', { kind: 'sqlite', file: databaseFile }, { words });
  return output.split(' ')[0] ?? '';
}
