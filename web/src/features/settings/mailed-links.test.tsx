/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { answerLost, renderPage } from '../../test/render-page';
import { ConfirmEmail } from './confirm-email';
import { RecoverFactors } from './recover-factors';
import { VerifyEmail } from './verify-email';

const refused = () => ({ errors: [{ message: 'This link is used up.', extensions: { code: 'NOT_FOUND' } }] });
const lost = answerLost(Number.POSITIVE_INFINITY, refused);

const pages = [
  ['VerifyEmail', VerifyEmail, 'Verify my address', 'whether your address is verified'],
  ['ConfirmEmailChange', ConfirmEmail, 'Use this address', 'whether your address is changed'],
  ['StartFactorRecovery', RecoverFactors, 'Remove them in 72 hours', 'whether the 72 hours have started'],
] as const;

describe('a page that a mailed link opens', () => {
  it.each(pages)(
    '%s says that it is not known what became of it when the answer was lost',
    async (name, Page, button, whether) => {
      const { user } = renderPage(<Page />, { [name]: lost }, '/page#token');
      await user.click(await screen.findByRole('button', { name: button }));
      await screen.findByText(`We could not confirm ${whether}`);
    },
  );

  it.each(pages)(
    '%s can be pressed again when the answer was lost, and not when it is refused',
    async (name, Page, button) => {
      const { user } = renderPage(<Page />, { [name]: answerLost(1, refused) }, '/page#token');
      await user.click(await screen.findByRole('button', { name: button }));
      await screen.findByText(/^We could not confirm/);
      await user.click(screen.getByRole('button', { name: button }));
      await screen.findByText('This link cannot be used');
      expect(screen.queryByRole('button', { name: button })).toBeNull();
    },
  );

  it.each(pages)(
    '%s claims nothing but that the link cannot be used when it is refused: an earlier press may have done it',
    async (name, Page, button) => {
      const { user } = renderPage(<Page />, { [name]: refused }, '/page#token');
      await user.click(await screen.findByRole('button', { name: button }));
      await screen.findByText('This link cannot be used');
      screen.getByText('This link is used up.');
    },
  );
});

describe('a page whose mailed link was about another person', () => {
  const person = (email: string, emailVerifiedAt: string | null) => ({
    data: { person: { __typename: 'Person', id: email, email, emailVerifiedAt } },
  });
  const done = [
    ['VerifyEmail', VerifyEmail, 'Verify my address', 'verifyEmail'],
    ['ConfirmEmailChange', ConfirmEmail, 'Use this address', 'confirmEmailChange'],
  ] as const;

  it.each(done)('%s says who is signed in, and offers to sign out and go on', async (name, Page, button, field) => {
    const other = () => person('eve@example.com', null);
    const { user, asked } = renderPage(
      <Page />,
      {
        [name]: () => ({ data: { [field]: true } }),
        PersonNow: other,
        SignOut: () => ({ data: { signOut: true } }),
      },
      '/page#token',
    );
    await user.click(await screen.findByRole('button', { name: button }));
    await screen.findByText('You are signed in as eve@example.com.');
    await user.click(screen.getByRole('button', { name: 'Sign out and continue' }));
    await waitFor(() => expect(asked.map(({ name: operation }) => operation)).toContain('SignOut'));
  });

  it.each(done)('%s leads whom it was about, or nobody, to the settings', async (name, Page, button, field) => {
    let isDone = false;
    const theirs = () => person('ada@example.com', isDone ? '2026-01-01T00:00:00Z' : null);
    const work = () => {
      isDone = true;
      return { data: { [field]: true } };
    };
    const { user } = renderPage(<Page />, { [name]: work, PersonNow: theirs }, '/page#token');
    await user.click(await screen.findByRole('button', { name: button }));
    await screen.findByRole('link', { name: 'Go to the settings' });
    expect(screen.queryByText(/You are signed in as/)).toBeNull();
  });
});
