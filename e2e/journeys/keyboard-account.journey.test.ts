import { describeInBrowser } from '../support/browser.js';
import { KeyboardUser } from '../support/keyboard-user.js';
import { journeyPassword, signInOnPage, signUpOnPage } from '../support/page-account.js';
import { useSharedStack } from '../support/shared-stack.js';

describeInBrowser('the account by keyboard alone', (openPage) => {
  describe('settings and getting around', () => {
    const stack = useSharedStack();

    it('changes name and password, and is told of a wrong one', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await signUpOnPage(page, 'Jean Bartik');
      await user.jumpTo('profile', 'Settings');
      await user.typeInto(page.getByRole('textbox', { name: 'Name' }), 'Betty Jean');
      await user.pressOn(page.getByRole('button', { name: 'Save' }));
      await page.getByText('You are Betty Jean now.').waitFor();
      await user.expectFocusOn(page.getByRole('button', { name: 'Save' }));

      const present = page.getByRole('textbox', { name: 'Current password' });
      await user.typeInto(present, 'not this one');
      await user.typeInto(page.getByRole('textbox', { name: 'New password' }), 'a new long password');
      await user.press('Enter');
      await page.getByText('This is not the password of your account.').waitFor();
      await user.expectFocusKept();
      await user.tabBackTo(present);
      await user.press('Control+A');
      await page.keyboard.type(journeyPassword);
      const change = page.getByRole('button', { name: 'Change password' });
      await user.pressOn(change);
      await page.getByText('Password changed').waitFor();
      await user.expectFocusOn(change);
      expect(faults.filter((fault) => !fault.includes('400'))).toEqual([]);
    }, 60_000);

    it('ends another session, and thinks better of deleting the account', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await signUpOnPage(page, 'Kay McNulty');
      const elsewhere = await openPage({ baseUrl: stack.baseUrl });
      await elsewhere.page.goto('/sign-in');
      await signInOnPage(elsewhere.page, 'Kay McNulty');
      await elsewhere.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

      await user.jumpTo('profile', 'Settings');
      await user.pressOn(page.getByRole('button', { name: /^End the session of/ }));
      await page.getByText('Session ended').waitFor();
      await user.expectFocusOn(page.getByRole('heading', { name: 'Sessions' }));

      const remove = page.getByRole('button', { name: 'Delete the account' });
      await user.pressOn(remove);
      const dialog = page.getByRole('dialog');
      await user.expectFocusOn(dialog.getByRole('textbox', { name: 'Your password' }));
      await user.expectTrappedIn(dialog);
      await user.expectEscapeReturnsTo(remove);
      await user.press('Enter');
      await user.pressOn(dialog.getByRole('button', { name: 'Cancel' }));
      await dialog.waitFor({ state: 'detached' });
      await user.expectFocusOn(remove);
    }, 60_000);

    it('skips the navigation, changes the colours, and gets about by the palette and, on a phone, by the menu', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await signUpOnPage(page, 'Betty Holberton');
      await page.goto('/quickstart');
      await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
      await user.press('Tab');
      await user.expectFocusOn(page.getByRole('link', { name: 'Skip to content' }));
      await user.press('Enter');
      await user.press('Tab');
      expect(await page.evaluate("document.querySelector('main').contains(document.activeElement)")).toBe(true);

      const colours = page.getByRole('button', { name: /^Colours: as the system/ });
      await user.tabBackTo(colours);
      await user.press('Enter');
      await user.expectFocusOn(page.getByRole('button', { name: /^Colours: light/ }));
      await user.press('Space');
      await user.expectFocusOn(page.getByRole('button', { name: /^Colours: dark/ }));
      expect(await page.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe('dark');

      const bell = page.getByRole('button', { name: /^Notifications/ });
      await bell.waitFor();
      await user.tabBackTo(bell);
      await user.press('Enter');
      await user.tabTo(page.getByRole('link', { name: 'All notifications' }));
      await user.press('Escape');
      await page.getByRole('link', { name: 'All notifications' }).waitFor({ state: 'detached' });
      await user.expectFocusOn(bell);

      await user.openPalette();
      await user.expectEscapeReturnsTo(bell);
      await user.openPalette();
      await user.press('ArrowDown', 'ArrowDown', 'Enter');
      await user.expectPage('Usage');

      await page.setViewportSize({ width: 390, height: 844 });
      const more = page.getByRole('button', { name: 'More' });
      await user.tabBackTo(more);
      await user.press('Enter');
      await page.getByRole('link', { name: 'Explore', exact: true }).waitFor();
      await user.press('Tab');
      await user.expectFocusOn(page.getByRole('link', { name: 'Explore', exact: true }));
      await user.press('Escape');
      await user.expectFocusOn(more);
      await user.press('Enter');
      await user.pressOn(page.getByRole('link', { name: 'Settings', exact: true }));
      await user.expectPage('Settings');
      expect(await page.getByRole('link', { name: 'Models', exact: true }).isVisible()).toBe(false);
    }, 60_000);
  });
});
