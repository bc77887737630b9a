/** @jest-environment jsdom */

import { ApolloProvider, useMutation } from '@apollo/client/react';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { parse } from 'graphql';
import { MemoryRouter } from 'react-router';
import { RequireSession } from '../features/session/session-gate';
import { createApolloClient } from './apollo-client';

// No document of the dashboard, whose types are made from the schema.
const RemoveDocument = parse('mutation Remove { removeAll }');

/** As the server answers: it knows whose session the cookie of the browser is. */
function answerAsServer(signedIn: { personId: string; accountId: string }) {
  const asked: { name: string; sessionOf: string | null }[] = [];
  const answer = (body: object) =>
    ({ status: 200, ok: true, text: async () => JSON.stringify(body), headers: new Headers() }) as Response;
  globalThis.fetch = async (_url, init) => {
    const { operationName } = JSON.parse(String(init?.body)) as { operationName: string };
    const sessionOf = new Headers(init?.headers).get('tollgate-session-of');
    asked.push({ name: operationName, sessionOf });
    if (operationName !== 'Session') {
      if (sessionOf === `${signedIn.personId} ${signedIn.accountId}`) return answer({ data: { removeAll: true } });
      const extensions = { code: 'CONFLICT', reason: 'session_of_another' };
      return answer({ data: null, errors: [{ message: 'Load this page again.', extensions }] });
    }
    const account = { __typename: 'AccountOfPerson', name: 'A', role: 'OWNER', isCurrent: true };
    const person = { __typename: 'Person', id: signedIn.personId, email: 'a@x.example', name: 'A' };
    return answer({
      data: {
        viewer: { __typename: 'Account', id: signedIn.accountId, role: 'OWNER' },
        person: { ...person, accounts: [{ ...account, accountId: signedIn.accountId }] },
      },
    });
  };
  return asked;
}

function Page() {
  const [remove, { data }] = useMutation<{ removeAll: boolean }>(RemoveDocument);
  return (
    <>
      <button type="button" onClick={() => void remove().catch(() => undefined)}>
        Remove all
      </button>
      {data?.removeAll && <p>Removed</p>}
    </>
  );
}

function openPage() {
  render(
    <ApolloProvider client={createApolloClient()}>
      <MemoryRouter>
        <RequireSession waiting={null}>
          <Page />
        </RequireSession>
      </MemoryRouter>
    </ApolloProvider>,
  );
  return userEvent.setup();
}

describe('createApolloClient', () => {
  const realFetch = globalThis.fetch;
  /** What jsdom says of a page that is loaded anew, which it cannot do. */
  let notDone: jest.SpyInstance;

  beforeEach(() => {
    notDone = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    localStorage.clear();
    sessionStorage.clear();
  });
  afterEach(() => {
    cleanup();
    notDone.mockRestore();
    globalThis.fetch = realFetch;
  });

  const isLoadedAnew = () => notDone.mock.calls.some(([error]) => /navigation/.test(String(error?.message ?? error)));

  it('says with each change whose page it is, and loads the page anew where the session is another’s by now', async () => {
    const signedIn = { personId: 'acct_alice', accountId: 'acct_team' };
    const asked = answerAsServer(signedIn);
    const user = openPage();
    await user.click(await screen.findByText('Remove all'));
    await screen.findByText('Removed');
    expect(asked.at(-1)).toEqual({ name: 'Remove', sessionOf: 'acct_alice acct_team' });
    expect(isLoadedAnew()).toBe(false);
    // In another tab, which this one has not heard of.
    signedIn.accountId = 'acct_alice';
    sessionStorage.setItem('draft', 'private words');
    await user.click(screen.getByText('Remove all'));
    await waitFor(() => expect(isLoadedAnew()).toBe(true));
    expect(asked.at(-1)).toEqual({ name: 'Remove', sessionOf: 'acct_alice acct_team' });
    expect(screen.queryByText('Remove all')).toBeNull();
    expect(sessionStorage.getItem('draft')).toBeNull();
  });

  it('says nothing of an owner before it shows somebody’s page', async () => {
    const asked = answerAsServer({ personId: 'acct_alice', accountId: 'acct_alice' });
    openPage();
    await screen.findByText('Remove all');
    expect(asked).toEqual([{ name: 'Session', sessionOf: null }]);
  });
});
