import { describeInBrowser } from '../support/browser.js';
import { KeyboardUser } from '../support/keyboard-user.js';
import { useOwnStack } from '../support/own-stack.js';
import { askOnPage, callProxy, emailOf, journeyPassword, nameOnPage, signUpOnPage } from '../support/page-account.js';

describeInBrowser('by keyboard alone', (openPage) => {
  describe('a new user', () => {
    const stack = useOwnStack();

    it('signs up, makes a key, buys credits, makes a billed call, and opens its receipt by the palette', async () => {
      const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await page.goto('/');
      await user.pressOn(page.getByRole('link', { name: 'Create your account' }));
      await user.expectPage('Create your account');
      await user.typeInto(page.getByRole('textbox', { name: 'E-mail' }), emailOf('Evelyn Boyd'));
      await user.typeInto(page.getByRole('textbox', { name: 'Password' }), journeyPassword);
      await user.press('Enter');
      await user.expectPage('Overview');

      await user.pressOn(page.getByRole('button', { name: 'Create your key' }));
      const shown = page.getByRole('region', { name: 'your key' });
      await shown.waitFor();
      const secret = (await shown.innerText()).trim();
      await user.expectFocusOn(page.getByRole('heading', { name: 'Quickstart' }));
      await user.tabTo(shown);

      await user.tabBackTo(page.getByRole('link', { name: 'Credits', exact: true }));
      await user.press('Enter');
      await user.expectPage('Credits');
      const amount = page.getByRole('textbox', { name: 'Another amount' });
      await user.typeInto(amount, '2');
      await user.press('Enter');
      await page.getByText('The smallest purchase is $5.').waitFor();
      await user.expectFocusOn(amount);
      await user.typeInto(amount, '7');
      await user.press('Enter');
      await user.pressOn(page.getByRole('button', { name: 'Pay $7.00 (simulated)' }));
      await page.getByRole('heading', { name: 'Paid. Thank you' }).waitFor();
      await user.pressOn(page.getByRole('link', { name: 'Back to credits' }));
      await user.expectPage('Credits');
      const purchase = page.getByRole('table', { name: 'Purchases' }).getByRole('row').filter({ hasText: '$7' });
      await purchase.getByText('Paid', { exact: true }).waitFor();

      const response = await callProxy(stack.baseUrl, secret, { model: 'demo-small' });
      await user.jumpTo('home', 'Overview');
      await page.getByRole('link', { name: 'Receipt of the call to demo-small' }).waitFor();
      const callId = response.headers.get('x-request-id') ?? '';
      await user.openPalette();
      await page.keyboard.type(callId);
      await page.getByText(`Receipt of ${callId}`).waitFor();
      await user.press('Enter');
      const receipt = page.getByRole('dialog', { name: 'Receipt' });
      await receipt.getByRole('row', { name: /^Charged/ }).waitFor();
      await user.expectTrappedIn(receipt);
      await user.press('Escape');
      await receipt.waitFor({ state: 'detached' });
      await user.expectFocusKept();
      expect(faults).toEqual([]);
    }, 90_000);

    it('signs out, is told of a wrong password, comes back to the wanted page, and to what a lost session interrupted', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await signUpOnPage(page, 'Mary Shaw');
      const menu = page.getByRole('button', { name: `Account of ${nameOnPage('Mary Shaw')}` });
      const signOut = page.getByRole('button', { name: 'Sign out' });
      await user.pressOn(menu);
      await signOut.waitFor();
      await user.press('Tab');
      await user.expectFocusOn(signOut);
      await user.press('Escape');
      await user.expectFocusOn(menu);
      await user.press('Enter');
      await user.pressOn(signOut);
      await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();

      await page.goto('/keys');
      await signIn(user, 'Mary Shaw', 'not the password');
      await page.getByRole('alert').getByText('E-mail or password is wrong').waitFor();
      await user.expectFocusOn(page.getByRole('button', { name: 'Sign in', exact: true }));
      await user.tabBackTo(page.getByRole('textbox', { name: 'E-mail' }));
      await signIn(user, 'Mary Shaw', journeyPassword);
      await user.expectPage('Keys');

      await user.jumpTo('chat', 'Playground');
      const message = page.getByRole('textbox', { name: 'Your message' });
      await user.typeInto(message, 'Do not lose me');
      await askOnPage(page, 'mutation { signOut }');
      await user.press('Enter');
      await page.getByText('Your session has ended').waitFor();
      await user.expectPage('Sign in');
      await signIn(user, 'Mary Shaw', journeyPassword);
      await user.expectPage('Playground');
      expect(await message.inputValue()).toBe('Do not lose me');
    }, 60_000);

    it('is told in one tab of the sign-out in another, and goes on there', async () => {
      const { page, context } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await signUpOnPage(page, 'Barbara Liskov');
      await user.jumpTo('analytics', 'Usage');
      const other = new KeyboardUser(await context.newPage());
      await other.page.goto('/keys');
      await other.pressOn(other.page.getByRole('button', { name: `Account of ${nameOnPage('Barbara Liskov')}` }));
      const signOut = other.page.getByRole('button', { name: 'Sign out' });
      await signOut.waitFor();
      await other.pressOn(signOut);
      await other.page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();

      await page.bringToFront();
      await page.getByText('You are signed out').waitFor();
      await user.expectPage('Sign in');
      await signIn(user, 'Barbara Liskov', journeyPassword);
      await user.expectPage('Usage');
    }, 60_000);

    it('waits for a server that is away, and tries again by one press', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      const user = new KeyboardUser(page);
      await signUpOnPage(page, 'Frances Allen');
      await user.jumpTo('analytics', 'Usage');
      const nothingYet = page.getByText('No calls in this time');
      await nothingYet.waitFor();
      await stack.stop();
      await user.tabTo(page.getByRole('radio', { name: 'By model', exact: true }));
      await user.press('ArrowRight');
      const retry = page.getByRole('button', { name: 'Try again' }).first();
      await user.tabTo(retry);
      await stack.startAgain();
      await user.press('Enter');
      await retry.waitFor({ state: 'detached' });
      await nothingYet.waitFor();
      await user.expectFocusKept();
    }, 60_000);
  });
});

async function signIn(user: KeyboardUser, name: string, password: string): Promise<void> {
  await user.typeInto(user.page.getByRole('textbox', { name: 'E-mail' }), emailOf(name));
  await user.typeInto(user.page.getByRole('textbox', { name: 'Password' }), password);
  await user.pressOn(user.page.getByRole('button', { name: 'Sign in', exact: true }));
}
