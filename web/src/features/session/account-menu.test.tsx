/** @jest-environment jsdom */
import { notifications } from '@mantine/notifications';
import { screen, waitFor } from '@testing-library/react';
import { answerLost, renderPage } from '../../test/render-page';
import { AccountMenu } from './account-menu';
import { RequireSession } from './session-gate';

const accountOf = (id: string, isCurrent: boolean) => ({
  ...{ __typename: 'PersonAccount', accountId: id, name: `Account ${id}`, role: 'OWNER', isCurrent },
});
const person = {
  ...{ __typename: 'Person', id: 'acct_1', email: 'ada@example.com', name: 'Ada' },
  accounts: [accountOf('acct_1', true), accountOf('acct_2', false)],
};
const session = () => ({ data: { viewer: { __typename: 'Account', id: 'acct_1', role: 'OWNER' }, person } });
const viewerOf = (id: string | null) => () => ({
  data: { viewer: id === null ? null : { __typename: 'Account', id } },
});
const refused = () => ({ errors: [{ message: 'Not now.', extensions: { code: 'CONFLICT' } }] });
const lost = answerLost(Number.POSITIVE_INFINITY, refused);

function open(answers: Parameters<typeof renderPage>[1]) {
  localStorage.clear();
  notifications.clean();
  return renderPage(
    <RequireSession waiting={null}>
      <AccountMenu />
    </RequireSession>,
    { Session: session, ...answers },
  );
}

const signOutButton = () => screen.findByRole('button', { name: 'Sign out', hidden: true });
const otherAccount = () => screen.findByRole('button', { name: 'Account acct_2 (owner)', hidden: true });
const expectToldOfSwitch = () => expect(localStorage.getItem('tollgate.account-switched')).toContain('acct_2');
const hasToldOfSignOut = () => localStorage.getItem('tollgate.signed-out') !== null;

describe('AccountMenu', () => {
  it('ends the session in every tab when the answer to the sign-out was lost and the session is over', async () => {
    const { user } = open({ SignOut: lost, ViewerNow: viewerOf(null) });
    await user.click(await signOutButton());
    await waitFor(() => expect(hasToldOfSignOut()).toBe(true));
    expect(screen.queryByText(/still signed in/)).toBeNull();
  });

  it.each([
    ['the session cannot be asked for', lost],
    ['the sign-out may still be on its way', viewerOf('acct_1')],
  ])('says that it is not known whether one is signed out when the answer was lost and %s', async (_, viewer) => {
    const { user } = open({ SignOut: lost, ViewerNow: viewer });
    await user.click(await signOutButton());
    await screen.findByText('We could not confirm whether you are signed out');
    expect(hasToldOfSignOut()).toBe(false);
  });

  it('says that one is still signed in when the server refuses the sign-out', async () => {
    const { user } = open({ SignOut: refused, ViewerNow: viewerOf('acct_1') });
    await user.click(await signOutButton());
    await screen.findByText('You are still signed in');
    expect(hasToldOfSignOut()).toBe(false);
  });

  it('goes to the other account when the answer to the switch was lost and the session acts for it', async () => {
    const { user } = open({ SwitchAccount: lost, ViewerNow: viewerOf('acct_2') });
    await user.click(await otherAccount());
    await waitFor(expectToldOfSwitch);
    expect(screen.queryByText(/We could not confirm/)).toBeNull();
  });

  it('says that it is not known for which account one acts when that cannot be asked, and has other tabs look', async () => {
    const { user } = open({ SwitchAccount: lost, ViewerNow: lost });
    await user.click(await otherAccount());
    await screen.findByText('We could not confirm which account you are using now');
    expectToldOfSwitch();
  });
});
