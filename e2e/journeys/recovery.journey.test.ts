import { describeInBrowser } from '../support/browser.js';
import { emailOf, findMailedLink, journeyPassword, signUpOnPage } from '../support/page-account.js';
import { useSharedStack } from '../support/shared-stack.js';

const newPassword = 'a harbour is no place for ships';

describeInBrowser('a lost way into the account', (openPage) => {
  const stack = useSharedStack();

  it('is found again by mail: a new password, then another address, and that taken back', async () => {
    const owner = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(owner.page, 'Hedy Lamarr');
    const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
    const email = emailOf('Hedy Lamarr');
    await page.goto('/sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await page.getByRole('button', { name: 'Send me a link' }).click();
    await page.getByText('Check your inbox').waitFor();

    await page.goto(await findMailedLink(page, email, 'reset-password'));
    await page.getByRole('textbox', { name: 'New password' }).fill(newPassword);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password was changed').waitFor();
    await owner.page.goto('/settings');
    await owner.page.getByRole('heading', { name: 'Sign in' }).waitFor();

    const signIn = async (address: string, password: string) => {
      await page.goto('/sign-in?next=/settings');
      await page.getByRole('textbox', { name: 'E-mail' }).fill(address);
      await page.getByRole('textbox', { name: 'Password' }).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    };
    await signIn(email, newPassword);
    const next = emailOf('Hedwig Kiesler');
    await page.getByRole('textbox', { name: 'New e-mail address' }).fill(next);
    await page.getByRole('textbox', { name: 'Password of your account' }).fill(newPassword);
    await page.getByRole('button', { name: 'Change address' }).click();
    await page.getByText('Confirm it at the new address').waitFor();
    await page.goto(await findMailedLink(page, next, 'confirm-email'));
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.getByText('Your address is changed').waitFor();
    await page.getByRole('link', { name: 'Go to the settings' }).click();
    await page.getByRole('main').getByText(next).first().waitFor();

    await page.goto(await findMailedLink(page, email, 'undo-email-change'));
    await page.getByRole('textbox', { name: 'New password' }).fill(journeyPassword);
    await page.getByRole('button', { name: 'Take my address back' }).click();
    await page.getByText('Your account has its former address again').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(email, journeyPassword);
    expect(faults).toEqual([]);
  }, 120_000);
});
