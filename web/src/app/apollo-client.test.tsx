/** @jest-environment jsdom */

import { ApolloProvider, useMutation } from '@apollo/client/react';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { parse } from 'graphql';
import type { ReactNode } from 'react';
import { MemoryRouter, useLocation } from 'react-router';
import { RequireSession } from '../features/session/session-gate';
import { LinkedIdentities } from '../features/settings/linked-identities';
import { graphqlErrorMessage } from '../lib/graphql-error-message';
import { createApolloClient } from './apollo-client';
import { createOperatorClient } from './operator-client';
import { theme } from './theme';

// No document of the dashboard, whose types are made from the schema.
const RemoveDocument = parse('mutation Remove { removeAll }');

const refusedAsNobody = { data: null, errors: [{ message: 'Sign in.', extensions: { code: 'UNAUTHENTICATED' } }] };

/**
 * As the server answers: it knows whose session the cookie of the browser is, and whether that is over.
 * @param answers To operations by their name, whoever asks.
 */
function answerAsServer(
  signedIn: { personId: string; accountId: string; isOver?: boolean },
  answers: Readonly<Record<string, object>> = {},
) {
  const asked: { name: string; sessionOf: string | null }[] = [];
  const answer = (body: object) =>
    ({ status: 200, ok: true, text: async () => JSON.stringify(body), headers: new Headers() }) as Response;
  globalThis.fetch = async (_url, init) => {
    const { operationName } = JSON.parse(String(init?.body)) as { operationName: string };
    const sessionOf = new Headers(init?.headers).get('tollgate-session-of');
    asked.push({ name: operationName, sessionOf });
    const given = signedIn.isOver ? refusedAsNobody : answers[operationName];
    if (given) return answer(given);
    if (operationName === 'ViewerNow') {
      return answer({ data: { viewer: { __typename: 'Account', id: signedIn.accountId } } });
    }
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

function openPage(page: ReactNode = <Page />, path = '/') {
  render(
    <MantineProvider theme={theme} env="test">
      <Notifications />
      <ApolloProvider client={createApolloClient()}>
        <MemoryRouter initialEntries={[path]}>
          <Address />
          <RequireSession waiting={null}>{page}</RequireSession>
        </MemoryRouter>
      </ApolloProvider>
    </MantineProvider>,
  );
  return userEvent.setup();
}

function Address() {
  return <p>At {useLocation().pathname}</p>;
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

  it('tells an answer without data and errors like any other that cannot be read, and hands it to no page', async () => {
    answerAsServer({ personId: 'acct_alice', accountId: 'acct_team' }, { Remove: { data: null } });
    const failures = [createApolloClient(), createOperatorClient()].map((client) =>
      client.mutate({ mutation: RemoveDocument }).then(
        () => 'taken as an answer',
        (error: unknown) => graphqlErrorMessage(error),
      ),
    );
    const words = 'Tollgate did not accept the request (HTTP 200). Reload the page, then try again.';
    expect(await Promise.all(failures)).toEqual([words, words]);
  });

  it('leads to sign-in when a change is refused because the session is over', async () => {
    const signedIn = { personId: 'acct_alice', accountId: 'acct_team', isOver: false };
    answerAsServer(signedIn);
    const user = openPage();
    await screen.findByText('Remove all');
    signedIn.isOver = true;
    await user.click(screen.getByText('Remove all'));
    await screen.findByText('At /sign-in');
  });

  it('leaves the session alone that goes on, where something else is refused in the same words', async () => {
    const answers = { Remove: refusedAsNobody };
    const asked = answerAsServer({ personId: 'acct_alice', accountId: 'acct_team' }, answers);
    const user = openPage();
    await user.click(await screen.findByText('Remove all'));
    await waitFor(() => expect(asked.map(({ name }) => name)).toEqual(['Session', 'Remove', 'ViewerNow']));
    await user.click(screen.getByText('Remove all'));
    screen.getByText('At /');
  });

  it('says of a sign-in of another provider that comes back too late that nothing was linked, on the page where one is', async () => {
    const linked = { __typename: 'LinkedIdentity', id: 'idp_1', provider: 'works', label: 'a@x.example' };
    const at = { createdAt: '2026-11-20T00:00:00Z', lastUsedAt: null };
    const providers = [{ __typename: 'SignInProvider', id: 'works', label: 'Local Works' }];
    const asked = answerAsServer(
      { personId: 'acct_alice', accountId: 'acct_team' },
      {
        FinishIdentityLink: refusedAsNobody,
        LinkedIdentities: { data: { signInProviders: providers, linkedIdentities: [{ ...linked, ...at }] } },
      },
    );
    openPage(<LinkedIdentities />, '/settings?linking=yes');
    await screen.findByText('Nothing was linked');
    await waitFor(() => expect(asked.map(({ name }) => name)).toContain('ViewerNow'));
    await screen.findByRole('button', { name: 'Link Local Works' });
    screen.getByText('At /settings');
  });
});

describe('A name of which nothing is seen, from before such were refused', () => {
  it('has words in its place wherever a page reads it', () => {
    const query = parse('{ viewer { id name } apiKeys { id name } operator { account { id name } } }');
    const named = { id: 'one', name: '\u3164' };
    const data = {
      viewer: { __typename: 'Account', ...named },
      apiKeys: [{ __typename: 'ApiKey', ...named }],
      operator: { __typename: 'OperatorQuery', account: { __typename: 'OperatorAccount', ...named } },
    };
    for (const { cache } of [createApolloClient(), createOperatorClient()]) {
      cache.writeQuery({ query, data });
      const read = JSON.stringify(cache.readQuery({ query }));
      expect([read.split('(no visible name)').length - 1, read.includes('\u3164')]).toEqual([3, false]);
    }
  });
});
