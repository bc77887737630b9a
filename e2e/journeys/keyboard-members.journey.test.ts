import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { KeyboardUser } from '../support/keyboard-user.js';
import { emailOf, findMailedLink, journeyPassword, nameOnPage, signUpOnPage } from '../support/page-account.js';
import { useSharedStack } from '../support/shared-stack.js';

describeInBrowser('the members of an account by keyboard alone', (openPage) => {
  describe('from an invitation to another owner', () => {
    const stack = useSharedStack();

    it('invites, takes an invitation back, changes a role, sets a budget, removes, and hands the account over', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await signUpOnPage(page, 'Grace Murray');
      await verifyAddress(page, 'Grace Murray');
      await user.pressOn(page.getByRole('link', { name: 'Go to the settings' }));
      await user.expectPage('Settings');
      await user.pressOn(page.getByRole('region', { name: 'Members' }).getByRole('link'));
      await user.expectPage('Members');

      const invite = page.getByRole('button', { name: 'Invite', exact: true });
      const address = page.getByRole('textbox', { name: 'E-mail' });
      await user.pressOn(invite);
      await user.expectFocusOn(address);
      for (const name of ['Ida Rhodes', 'Ruth Davis', 'Mina Rees']) {
        await page.keyboard.type(emailOf(name));
        await user.choose(page.getByRole('combobox', { name: 'Role', exact: true }), 'developer');
        await user.tabBackTo(address);
        await user.press('Enter');
        await page.getByRole('button', { name: `Revoke the invitation of ${emailOf(name)}` }).waitFor();
        await user.expectFocusOn(address);
      }
      await user.pressOn(page.getByRole('button', { name: `Revoke the invitation of ${emailOf('Mina Rees')}` }));
      await page.getByText('Invitation revoked').waitFor();
      await user.expectFocusOn(page.getByRole('heading', { name: 'Invited' }));

      for (const name of ['Ida Rhodes', 'Ruth Davis']) {
        const { page: theirs } = await openPage({ baseUrl: stack.baseUrl });
        await joinByKeyboard(theirs, name);
      }
      await page.reload();
      const named = (name: string) => `${nameOnPage(name)} (${emailOf(name)})`;
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      const dialog = page.getByRole('dialog');
      const heading = page.getByRole('heading', { name: 'People' });

      const role = page.getByRole('combobox', { name: `Role of ${named('Ida Rhodes')}` });
      await user.choose(role, 'admin');
      await page.getByText('Role changed').waitFor();
      await user.expectFocusOn(role);
      await user.choose(role, 'owner');
      await user.expectTrappedIn(dialog);
      await user.expectEscapeReturnsTo(role);

      const budget = button(`Budget of ${named('Ida Rhodes')}`);
      await user.pressOn(budget);
      const limit = dialog.getByRole('textbox', { name: 'Monthly budget' });
      await user.expectFocusOn(limit);
      await user.expectTrappedIn(dialog);
      await user.expectEscapeReturnsTo(budget);
      await user.press('Enter');
      await user.expectFocusOn(limit);
      await page.keyboard.type('25');
      await user.press('Enter');
      await page.getByText('Budget saved').waitFor();
      await dialog.waitFor({ state: 'detached' });
      await user.expectFocusOn(budget);

      const remove = button(`Remove ${named('Ruth Davis')}`);
      await user.pressOn(remove);
      await user.expectTrappedIn(dialog);
      await user.expectEscapeReturnsTo(remove);
      await user.press('Enter');
      await user.pressOn(dialog.getByRole('button', { name: 'Remove' }));
      await page.getByText('Member removed').waitFor();
      await user.expectFocusOn(heading);

      const transfer = button(`Transfer ownership to ${named('Ida Rhodes')}`);
      await user.pressOn(transfer);
      await user.expectTrappedIn(dialog);
      await user.expectEscapeReturnsTo(transfer);
      await user.press('Enter');
      await user.pressOn(dialog.getByRole('button', { name: 'Transfer ownership' }));
      await page.getByText('Ownership transferred').waitFor();
      await user.expectFocusOn(heading);
      expect(faults).toEqual([]);
    }, 180_000);
  });
});

async function verifyAddress(page: Page, name: string): Promise<void> {
  await page.goto(await findMailedLink(page, emailOf(name), 'verify-email'));
  await page.getByRole('button', { name: 'Verify my address' }).click();
  await page.getByText('Your address is verified').waitFor();
}

/** From the link of the mail into the account. */
async function joinByKeyboard(page: Page, name: string): Promise<void> {
  const user = new KeyboardUser(page);
  await page.goto(await findMailedLink(page, emailOf(name), 'join'));
  await user.pressOn(page.getByRole('link', { name: 'Create an account' }));
  await user.expectPage('Create your account');
  await user.typeInto(page.getByRole('textbox', { name: 'E-mail' }), emailOf(name));
  await user.typeInto(page.getByRole('textbox', { name: 'Password' }), journeyPassword);
  await user.press('Enter');
  await page.getByRole('heading', { name: `Join ${nameOnPage('Grace Murray')}?` }).waitFor();
  await user.pressOn(page.getByRole('button', { name: 'Join' }));
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}
