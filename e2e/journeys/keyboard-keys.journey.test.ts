import { eventually } from '../../server/test/eventually.js';
import { describeInBrowser } from '../support/browser.js';
import { KeyboardUser } from '../support/keyboard-user.js';
import { buyCredits, callProxy, signUpOnPage } from '../support/page-account.js';
import { useSharedStack } from '../support/shared-stack.js';

describeInBrowser('the keys by keyboard alone', (openPage) => {
  describe('from the first to its end', () => {
    const stack = useSharedStack();

    it('makes one with limits, changes it, rotates it with a grace, and revokes it after a question', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      const dialog = page.getByRole('dialog');
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      const field = (name: string) => dialog.getByRole('combobox', { name, exact: true });
      const statusOf = async (secret: string, model = 'demo-small') =>
        (await callProxy(stack.baseUrl, secret, { model })).status;
      await signUpOnPage(page, 'Anita Borg');
      await buyCredits(page, 5);
      await user.jumpTo('secret', 'Keys');

      await user.pressOn(button('Create key'));
      await user.expectFocusOn(dialog.getByRole('textbox', { name: 'Name' }));
      await user.expectTrappedIn(dialog);
      await user.expectEscapeReturnsTo(button('Create key'));
      await user.press('Enter');
      await user.expectFocusOn(dialog.getByRole('textbox', { name: 'Name' }));
      await page.keyboard.type('Laptop');
      await user.choose(field('Models'), 'These models');
      await user.choose(field('Allowed models'), 'demo-small');
      // Closes the list, and not the dialog.
      await user.press('Escape');
      await user.choose(field('Budget'), 'At most');
      await user.typeInto(dialog.getByRole('textbox', { name: 'Credits' }), '250');
      await user.choose(field('Period'), 'per day');
      await dialog.getByText('demo-small only, for at most 250 credits per day').waitFor();
      await user.pressOn(dialog.getByRole('button', { name: 'Create key' }));
      const first = await saveSecret(user);
      await user.expectFocusOn(page.getByRole('heading', { name: 'Your keys' }));
      expect([await statusOf(first), await statusOf(first, 'demo-large')]).toEqual([200, 403]);

      await user.pressOn(button('Change Laptop'));
      await user.expectFocusOn(dialog.getByRole('textbox', { name: 'Name' }));
      await user.typeInto(dialog.getByRole('textbox', { name: 'Name' }), 'Desktop');
      await user.choose(field('Models'), 'Any model');
      await dialog.getByText('any model, for at most 250 credits per day').waitFor();
      await user.pressOn(dialog.getByRole('button', { name: 'Save changes' }));
      await dialog.waitFor({ state: 'detached' });
      await user.expectFocusOn(button('Change Desktop'));
      // The gateway remembers a key for some seconds, so its new rules hold a little later.
      await eventually(async () => (await statusOf(first, 'demo-large')) === 200, 500);

      await user.pressOn(button('Rotate Desktop'));
      await user.expectTrappedIn(dialog);
      await user.choose(dialog.getByRole('combobox', { name: 'The old secret' }), 'works for another hour');
      await user.pressOn(dialog.getByRole('button', { name: 'Rotate key' }));
      const second = await saveSecret(user);
      await user.expectFocusOn(button('Rotate Desktop'));
      expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);

      await user.pressOn(button('Revoke Desktop'));
      await user.expectTrappedIn(dialog);
      await user.expectEscapeReturnsTo(button('Revoke Desktop'));
      await user.press('Enter');
      await user.pressOn(dialog.getByRole('button', { name: 'Revoke key' }));
      await page.getByText('Key revoked').waitFor();
      await dialog.waitFor({ state: 'detached' });
      await user.expectFocusOn(page.getByRole('heading', { name: 'Your keys' }));
      expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401]);
      expect(faults).toEqual([]);
    }, 90_000);
  });
});

/** Reads the secret that is shown once. Escape must not lose it. */
async function saveSecret(user: KeyboardUser): Promise<string> {
  const dialog = user.page.getByRole('dialog', { name: 'Save your key now' });
  await user.expectFocusOn(dialog.getByRole('heading', { name: 'Save your key now' }));
  await user.press('Escape');
  await user.expectTrappedIn(dialog);
  const secret = await dialog.getByRole('region', { name: 'your key', exact: true }).innerText();
  await user.pressOn(dialog.getByRole('button', { name: 'I have saved it' }));
  await dialog.waitFor({ state: 'detached' });
  return secret.trim();
}
