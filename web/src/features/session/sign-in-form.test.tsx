/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { SignInForm } from './sign-in-form';

const noProviders = () => ({ data: { signInProviders: [] } });
const refuse = (code: string, reason?: string) => () => ({
  errors: [{ message: 'Refused.', extensions: { code, reason } }],
});
const accept = () => ({
  data: { signIn: { __typename: 'SignInResult', account: { __typename: 'Account', id: 'acct_1' } } },
});

function open(signIn: () => Record<string, unknown>, path = '/sign-in') {
  const page = renderPage(<SignInForm />, { SignInProviders: noProviders, SignIn: signIn }, path);
  const listTried = () => page.asked.filter(({ name }) => name === 'SignIn').map(({ variables }) => variables.input);
  const fill = async (email: string, password: string) => {
    await page.user.type(screen.getByRole('textbox', { name: /^E-mail/ }), email);
    await page.user.type(screen.getByLabelText(/^Password/), `${password}{Enter}`);
  };
  return { ...page, fill, listTried };
}

describe('SignInForm', () => {
  it('sends nothing that is not whole, and says at the field what is missing', async () => {
    const { user, listTried } = open(accept);
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    screen.getByText('Enter an e-mail address such as ada@example.com.');
    screen.getByText('Enter your password.');
    expect(listTried()).toEqual([]);
  });

  it('goes to the page that was wanted, and to none of another site', async () => {
    const { fill, address, listTried } = open(accept, '/sign-in?next=%2Fusage%3Fby%3Dkey');
    await fill(' ada@example.com', 'correct horse');
    await waitFor(() => expect(address.current).toBe('/usage?by=key'));
    expect(listTried()).toEqual([{ email: 'ada@example.com', password: 'correct horse' }]);
  });

  it('says of wrong credentials no more than that, keeps what was typed, and may be tried again', async () => {
    const { fill, listTried, user } = open(refuse('UNAUTHENTICATED'));
    await fill('ada@example.com', 'wrong');
    await screen.findByText('E-mail or password is wrong. Check both, or create an account.');
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^E-mail/ }).value).toBe('ada@example.com');
    await user.click(screen.getByRole('button', { name: 'Sign in' }));
    await waitFor(() => expect(listTried()).toHaveLength(2));
  });

  it('asks for the second step where the account has one', async () => {
    const { fill } = open(refuse('UNAUTHENTICATED', 'second_factor_required'));
    await fill('ada@example.com', 'correct horse');
    await waitFor(() => expect(screen.queryByLabelText(/^Password/)).toBeNull());
  });
});
