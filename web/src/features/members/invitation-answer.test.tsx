/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { answerLost, renderPage } from '../../test/render-page';
import { InvitationAnswer } from './invitation-answer';

const offer = { __typename: 'InvitationOffer', accountName: 'Books', role: 'DEVELOPER', invitedBy: 'Ada' };
const show = () => ({ data: { invitationOffer: offer } });
const refused = () => ({ errors: [{ message: 'This link is used up.', extensions: { code: 'NOT_FOUND' } }] });
const lost = answerLost(Number.POSITIVE_INFINITY, refused);
const join = () => ({ data: { acceptInvitation: 'acct_2' } });

async function press(button: string, answers: Parameters<typeof renderPage>[1]) {
  const { user } = renderPage(<InvitationAnswer token="invt_token" email="eve@example.com" />, {
    InvitationOffer: show,
    ...answers,
  });
  await user.click(await screen.findByRole('button', { name: button }));
}

describe('InvitationAnswer', () => {
  it('says that it is not known whether one has joined when the answer was lost, and where one sees it', async () => {
    await press('Join', { AcceptInvitation: lost });
    await screen.findByText('We could not confirm whether you have joined');
    screen.getByText(/the account menu lists/);
    expect(screen.queryByText('You have not joined')).toBeNull();
  });

  it('offers to ask once more when the answer about what it offers was lost', async () => {
    const answers = { InvitationOffer: answerLost(1, show) };
    const { user } = renderPage(<InvitationAnswer token="invt_token" email="eve@example.com" />, answers);
    await screen.findByText('The invitation could not be loaded');
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByText('Join Books?');
  });

  it('says that one has not joined when the server refuses', async () => {
    await press('Join', { AcceptInvitation: refused });
    await screen.findByText('You have not joined');
    screen.getByText('This link is used up.');
  });

  it.each([
    ['refused', refused, 'You have joined, but still see your own account'],
    ['lost', lost, 'We could not confirm which account is shown, but you have joined'],
  ])('says that one has joined when the switch to the account afterwards is %s', async (_, answer, title) => {
    await press('Join', { AcceptInvitation: join, SwitchToJoined: answer });
    await screen.findByText(title);
  });

  it('says that it is not known whether the invitation is declined when that answer was lost', async () => {
    await press('Decline', { DeclineInvitation: lost });
    await screen.findByText('We could not confirm whether the invitation is declined');
  });

  const already = () => ({ errors: [{ message: 'You are a member.', extensions: { code: 'CONFLICT' } }] });
  it.each(['InvitationOffer', 'AcceptInvitation'])(
    'says to whoever has joined in another tab, or before a lost answer, that they have: %s',
    async (operation) => {
      const { user } = renderPage(<InvitationAnswer token="invt_token" email="eve@example.com" />, {
        InvitationOffer: show,
        [operation]: already,
      });
      if (operation === 'AcceptInvitation') await user.click(await screen.findByRole('button', { name: 'Join' }));
      await screen.findByText('You are a member already');
      screen.getByText(/the account menu lists/i);
      expect(screen.queryByText('You have not joined')).toBeNull();
    },
  );

  it('of another address says who is signed in, and offers to sign out and use another account', async () => {
    const forOther = () => ({ errors: [{ message: 'Mailed to another.', extensions: { code: 'FORBIDDEN' } }] });
    const signOut = () => ({ data: { signOut: true } });
    const answers = { InvitationOffer: forOther, SignOut: signOut };
    const { user, asked } = renderPage(<InvitationAnswer token="invt_token" email="eve@example.com" />, answers);
    await screen.findByText('You are signed in as eve@example.com.');
    await user.click(screen.getByRole('button', { name: 'Sign out and use another account' }));
    await waitFor(() => expect(asked.map(({ name }) => name)).toContain('SignOut'));
  });

  it('claims nothing of whoever opens a link that is used up: they may have joined by it', async () => {
    renderPage(<InvitationAnswer token="invt_token" email="eve@example.com" />, { InvitationOffer: refused });
    await screen.findByText('This invitation cannot be answered');
    screen.getByText('This link is used up.');
  });
});
