/** @jest-environment jsdom */
import { cleanup, screen, waitFor } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { SignInForm } from './sign-in-form';
import { SignUpForm } from './sign-up-form';

const token = `tgs_${'a'.repeat(43)}`;
const noProviders = () => ({ data: { signInProviders: [] } });
const accept = (name: string) => () => ({
  data: { [name]: { __typename: 'SignInResult', account: { __typename: 'Account', id: 'acct_1' } } },
});
const words = 'Accounts are made by invitation here. Open the link of your invitation.';
const refuse = () => ({ errors: [{ message: words, extensions: { code: 'FORBIDDEN' } }] });
const invitedWords = 'You are invited. Sign up with the address that received the invitation.';

function open(signUp: () => Record<string, unknown>, path: string) {
  const page = renderPage(<SignUpForm />, { SignInProviders: noProviders, SignUp: signUp }, path);
  const fill = async () => {
    await page.user.type(screen.getByRole('textbox', { name: /^E-mail/ }), 'ada@example.com');
    await page.user.type(screen.getByLabelText(/^Password/), 'correct horse{Enter}');
  };
  const inputOf = () => page.asked.find(({ name }) => name === 'SignUp')?.variables.input;
  return { ...page, fill, inputOf };
}

describe('SignUpForm', () => {
  beforeEach(() => sessionStorage.clear());

  it('sends the invitation of the link that it was opened by, once, also after a way around', async () => {
    open(refuse, `/sign-up#${token}`);
    screen.getByText(invitedWords);
    cleanup();
    const { fill, inputOf } = open(accept('signUp'), '/sign-up');
    screen.getByText(invitedWords);
    await fill();
    await waitFor(() =>
      expect(inputOf()).toEqual({ email: 'ada@example.com', password: 'correct horse', invitation: token }),
    );
    await waitFor(() => expect(sessionStorage.length).toBe(0));
  });

  it('sends none where there is none, and says what the server does', async () => {
    const { fill, inputOf } = open(refuse, '/sign-up#somewhere');
    expect(screen.queryByText(invitedWords)).toBeNull();
    await fill();
    await screen.findByText(words);
    expect(inputOf()).toEqual({ email: 'ada@example.com', password: 'correct horse' });
  });
});

describe('SignInForm', () => {
  it('takes the invitation along for whom another provider has sent back', async () => {
    open(refuse, `/sign-up#${token}`);
    cleanup();
    const answers = { SignInProviders: noProviders, FinishProviderSignIn: accept('finishProviderSignIn') };
    const { asked } = renderPage(<SignInForm />, answers, '/sign-in?with=local');
    await waitFor(() =>
      expect(asked.find(({ name }) => name === 'FinishProviderSignIn')?.variables).toEqual({ invitation: token }),
    );
  });
});
