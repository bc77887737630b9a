/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { answerLost, renderPage } from '../../test/render-page';
import { InvitationAnswer } from './invitation-answer';

const offer = { __typename: 'InvitationOffer', accountName: 'Books', role: 'DEVELOPER', invitedBy: 'Ada' };
const show = () => ({ data: { invitationOffer: offer } });
const refused = () => ({ errors: [{ message: 'This link is used up.', extensions: { code: 'NOT_FOUND' } }] });
const lost = answerLost(Number.POSITIVE_INFINITY, refused);
const join = () => ({ data: { acceptInvitation: 'acct_2' } });

async function press(button: string, answers: Parameters<typeof renderPage>[1]) {
  const { user } = renderPage(<InvitationAnswer token="invt_token" />, {
    InvitationOffer: show,
    ...answers,
  });
  await user.click(await screen.findByRole('button', { name: button }));
}

describe('InvitationAnswer', () => {
  it('says that it is not known whether one has joined when the answer was lost, and where one sees it', async () => {
    await press('Join', { AcceptInvitation: lost });
    await screen.findByText('It is not known whether you have joined');
    screen.getByText(/the menu at your name/);
    expect(screen.queryByText('You have not joined')).toBeNull();
  });

  it('says that one has not joined when the server refuses', async () => {
    await press('Join', { AcceptInvitation: refused });
    await screen.findByText('You have not joined');
    screen.getByText('This link is used up.');
  });

  it.each([
    ['refused', refused, 'You have joined, and your own account is shown'],
    ['lost', lost, 'It is not known which account is shown, but you have joined'],
  ])('says that one has joined when the switch to the account afterwards is %s', async (_, answer, title) => {
    await press('Join', { AcceptInvitation: join, SwitchToJoined: answer });
    await screen.findByText(title);
  });

  it('says that it is not known whether the invitation is declined when that answer was lost', async () => {
    await press('Decline', { DeclineInvitation: lost });
    await screen.findByText('It is not known whether the invitation is declined');
  });

  it('claims nothing of whoever opens a link that is used up: they may have joined by it', async () => {
    renderPage(<InvitationAnswer token="invt_token" />, { InvitationOffer: refused });
    await screen.findByText('This invitation cannot be answered');
    screen.getByText('This link is used up.');
  });
});
