/** @jest-environment jsdom */
import { useApolloClient } from '@apollo/client/react';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { tellOfSignOut } from '../../lib/session/account-switch';
import { forgetViewer } from '../../lib/session/forget-viewer';
import { useFreshSecrets } from '../../lib/session/fresh-secrets';
import { keepInvitation } from '../../lib/session/kept-invitation';
import { endSessionOfTab, forgetEndedSession } from '../../lib/session/session-end';
import { useDraft } from '../../lib/use-draft';
import { renderPage } from '../../test/render-page';
import { RequireNoSession, RequireSession } from './session-gate';
import { SignInForm } from './sign-in-form';

type Owner = readonly [personId: string, accountId: string];

const alice: Owner = ['acct_alice', 'acct_alice'];
const aliceInTeam: Owner = ['acct_alice', 'acct_team'];
const bob: Owner = ['acct_bob', 'acct_bob'];
const bobInTeam: Owner = ['acct_bob', 'acct_team'];

/** Whose session the cookie of the browser is. */
let signedIn: Owner | null;
/** What jsdom says of a page that is loaded anew, which it cannot do. */
let notDone: jest.SpyInstance;

const noProviders = () => ({ data: { signInProviders: [] } });
const acceptSignIn = () => ({
  data: { signIn: { __typename: 'SignInResult', account: { __typename: 'Account', id: 'acct_any' } } },
});

function answerSession() {
  if (!signedIn) return { data: { viewer: null, person: null } };
  const [personId, accountId] = signedIn;
  const account = { __typename: 'AccountOfPerson', accountId, name: 'A', role: 'OWNER', isCurrent: true };
  return {
    data: {
      viewer: { __typename: 'Account', id: accountId, role: 'OWNER' },
      person: { __typename: 'Person', id: personId, email: 'a@x.example', name: 'A', accounts: [account] },
    },
  };
}

/** A page that keeps something for its tab, and may be told that the session has ended. */
function Desk() {
  const [draft, setDraft] = useDraft('question', '');
  const { findSecret, rememberSecret } = useFreshSecrets();
  const { cache } = useApolloClient();
  return (
    <>
      <p>Draft: {draft}</p>
      <p>Secret: {findSecret('key_1')}</p>
      <button type="button" onClick={() => setDraft('private words')}>
        Write
      </button>
      <button type="button" onClick={() => rememberSecret('key_1', 'sk-tg-private')}>
        Make a key
      </button>
      <button type="button" onClick={() => forgetViewer(cache)}>
        Lose the session
      </button>
    </>
  );
}

function openDesk() {
  const { user } = renderPage(
    <Routes>
      <Route
        path="/sign-in"
        element={
          <RequireNoSession>
            <SignInForm />
          </RequireNoSession>
        }
      />
      <Route
        path="*"
        element={
          <RequireSession waiting={<p>Waiting</p>}>
            <Desk />
          </RequireSession>
        }
      />
    </Routes>,
    {
      Session: answerSession,
      ViewerNow: answerSession,
      SignInProviders: noProviders,
      SignIn: acceptSignIn,
    },
    '/desk',
  );
  return user;
}

async function openAndWrite(owner: Owner) {
  signedIn = owner;
  const user = openDesk();
  await user.click(await screen.findByText('Write'));
  await user.click(screen.getByText('Make a key'));
  screen.getByText('Draft: private words');
  return user;
}

/** As a session that was ended elsewhere shows itself, and somebody signs in afterwards. */
async function loseSessionAndSignIn(user: ReturnType<typeof openDesk>, next: Owner) {
  await user.click(screen.getByText('Lose the session'));
  signedIn = next;
  await user.type(await screen.findByRole('textbox', { name: /^E-mail/ }), 'a@x.example');
  await user.type(screen.getByLabelText(/^Password/), 'correct horse{Enter}');
}

/** As another page of the browser notes that the session is of somebody else. */
function signInElsewhere(next: Owner) {
  const [key, ofTab] = Object.entries({ ...sessionStorage }).find(([, kept]) => kept === alice.join(' ')) ?? [];
  expect(ofTab).toBeDefined();
  signedIn = next;
  localStorage.setItem(key ?? '', next.join(' '));
  return new StorageEvent('storage', { key: key ?? '' });
}

const kept = () => JSON.stringify({ ...sessionStorage });
const isLoadedAnew = () => notDone.mock.calls.some(([error]) => /navigation/.test(String(error?.message ?? error)));

describe('RequireSession', () => {
  beforeEach(() => {
    notDone = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    localStorage.clear();
    sessionStorage.clear();
    endSessionOfTab();
  });
  afterEach(() => {
    cleanup();
    notDone.mockRestore();
  });

  it.each([
    ['another person', alice, bob],
    ['another person, for the same account', aliceInTeam, bobInTeam],
    ['the same person, for another account', aliceInTeam, alice],
  ])('leaves nothing of a session that was ended elsewhere to %s', async (_, before, next) => {
    const user = await openAndWrite(before);
    keepInvitation('#tgi_token');
    await loseSessionAndSignIn(user, next);
    await waitFor(() => expect(isLoadedAnew()).toBe(true));
    expect(screen.queryByText(/private/)).toBeNull();
    expect(kept()).not.toContain('private');
    expect(keepInvitation('')).toBe('tgi_token');
    cleanup();
    openDesk();
    await screen.findByText('Draft:');
    screen.getByText('Secret:');
  });

  it('has the drafts and secrets of a session that was ended elsewhere for the person who signs in again', async () => {
    const user = await openAndWrite(alice);
    await loseSessionAndSignIn(user, alice);
    await screen.findByText('Draft: private words');
    screen.getByText('Secret: sk-tg-private');
    expect(isLoadedAnew()).toBe(false);
  });

  it('shows nothing of an earlier person to whom the server names when the page is loaded', async () => {
    await openAndWrite(alice);
    cleanup();
    signedIn = bob;
    openDesk();
    await waitFor(() => expect(isLoadedAnew()).toBe(true));
    expect(kept()).not.toContain('private');
    expect(screen.queryByText(/^Draft/)).toBeNull();
  });

  it('ends its page at once where somebody else signs in in another tab, and no other', async () => {
    await openAndWrite(alice);
    const again = signInElsewhere(alice);
    act(() => void window.dispatchEvent(again));
    expect([kept().includes('private'), isLoadedAnew()]).toEqual([true, false]);
    const other = signInElsewhere(bob);
    act(() => void window.dispatchEvent(other));
    expect([kept().includes('private'), isLoadedAnew()]).toEqual([false, true]);
  });

  it('ends its page when it is seen again, where somebody else has signed in while it slept', async () => {
    await openAndWrite(alice);
    signInElsewhere(bob);
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
    expect([kept().includes('private'), isLoadedAnew()]).toEqual([false, true]);
  });

  it('has a new tab know of whom it is before the server answers, so that the next person finds nothing there', async () => {
    await openAndWrite(alice);
    cleanup();
    sessionStorage.clear();
    endSessionOfTab();
    forgetEndedSession();
    sessionStorage.setItem('tollgate.draft.question', '"private words"');
    signedIn = bob;
    openDesk();
    await waitFor(() => expect(isLoadedAnew()).toBe(true));
    expect(kept()).not.toContain('private');
  });

  it.each([
    ['signed-out', 'You signed out in another tab of this browser.'],
    ['deleted', 'You deleted it in another tab of this browser.'],
  ] as const)('says what was done in another tab where that has ended the session: %s', async (how, words) => {
    await openAndWrite(alice);
    signedIn = null;
    tellOfSignOut(how);
    const [key, newValue] = Object.entries({ ...localStorage }).find(([name]) => name.endsWith('signed-out')) ?? [];
    act(() => void window.dispatchEvent(new StorageEvent('storage', { key: key ?? '', newValue: newValue ?? '' })));
    await screen.findByText(words);
    expect(screen.queryByText(/to return to the page/)).toBeNull();
  });
});

describe('RequireNoSession', () => {
  /** As a tab that was behind another one for a minute. */
  function seeAgain() {
    const now = jest.spyOn(performance, 'now').mockReturnValue(0);
    window.dispatchEvent(new Event('blur'));
    now.mockReturnValue(60_000);
    act(() => void window.dispatchEvent(new Event('focus')));
    now.mockRestore();
  }

  it('opens the page that was wanted once somebody has signed in in another tab, as soon as the tab is seen again', async () => {
    const user = await openAndWrite(alice);
    await user.click(screen.getByText('Lose the session'));
    await screen.findByRole('textbox', { name: /^E-mail/ });
    signedIn = null;
    seeAgain();
    screen.getByText('Your session has ended');
    signedIn = alice;
    seeAgain();
    await screen.findByText('Draft: private words');
  });
});
