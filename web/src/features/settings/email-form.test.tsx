/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { EmailForm } from './email-form';

describe('EmailForm', () => {
  it('shows an address that waits to be confirmed, also one that somebody else asked for, and cancels it', async () => {
    const change = { __typename: 'PendingEmailChange', email: 'thief@example.org', askedAt: new Date().toISOString() };
    let pending: typeof change | null = change;
    const find = () => ({ data: { pendingEmailChange: pending } });
    const cancel = () => {
      pending = null;
      return { data: { cancelEmailChange: true } };
    };
    const { user } = renderPage(<EmailForm isMailSent />, { PendingEmail: find, CancelEmailChange: cancel });
    await screen.findByText(/A change to thief@example.org was requested/);
    await user.click(screen.getByRole('button', { name: 'Cancel the change' }));
    await screen.findByText('Your address stays as it is.');
    await waitFor(() => expect(screen.queryByText(/thief@example.org/)).toBeNull());
  });

  it('asks again when the page is seen again after a while: another tab may have confirmed it', async () => {
    let isConfirmed = false;
    const change = { __typename: 'PendingEmailChange', email: 'new@example.org', askedAt: new Date().toISOString() };
    const find = () => ({ data: { pendingEmailChange: isConfirmed ? null : change } });
    const { asked } = renderPage(<EmailForm isMailSent />, { PendingEmail: find });
    await screen.findByText(/A change to new@example.org was requested/);
    isConfirmed = true;
    const askedBefore = asked.length;
    for (const awayMs of [499, 500]) {
      expect(asked.length).toBe(askedBefore);
      const now = jest
        .spyOn(performance, 'now')
        .mockReturnValueOnce(1_000)
        .mockReturnValueOnce(1_000 + awayMs);
      window.dispatchEvent(new Event('blur'));
      window.dispatchEvent(new Event('focus'));
      now.mockRestore();
    }
    await waitFor(() => expect(screen.queryByText(/new@example.org/)).toBeNull());
  });
});
