/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { type Answer, renderPage } from '../../test/render-page';
import { ResetPassword } from './reset-password';

async function choose(personNow: Answer) {
  const reset = () => ({ data: { resetPassword: true } });
  const answers = { ResetPassword: reset, PersonNow: personNow };
  const { user } = renderPage(<ResetPassword />, answers, '/reset-password#token');
  await user.type(screen.getByLabelText(/New password/), 'quite new words 12');
  await user.click(screen.getByRole('button', { name: 'Change password' }));
  await screen.findByText(/Your password was changed/);
}

describe('a new password by a mailed link', () => {
  it('says who else is signed in in this browser, and offers to sign out and go on: no sign-in would show their pages', async () => {
    const person = { __typename: 'Person', id: 'acct_2', email: 'eve@example.com', emailVerifiedAt: null };
    await choose(() => ({ data: { person } }));
    await screen.findByText('You are signed in as eve@example.com.');
    screen.getByRole('button', { name: 'Sign out and continue' });
    expect(screen.queryByRole('link', { name: 'Sign in' })).toBeNull();
  });

  it('leads to the sign-in where nobody is signed in', async () => {
    await choose(() => ({ data: { person: null } }));
    await screen.findByRole('link', { name: 'Sign in' });
  });
});
