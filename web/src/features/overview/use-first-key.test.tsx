/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { endSessionOfTab } from '../../lib/session/session-end';
import { type Answer, answerLost, renderPage } from '../../test/render-page';
import { OverviewPage } from './overview-page';

const apiKey = { __typename: 'ApiKey', id: 'key_1', name: 'My key', revokedAt: null };
const made: Answer = () => ({
  data: { createApiKey: { __typename: 'CreatedApiKey', apiKey, secret: 'sk-tg-the-first' } },
});

/** The overview of an account that has nothing yet; its list has the key once that was told. */
function open(createFirstKey: Answer) {
  const apiKeys: object[] = [];
  const overview: Answer = () => ({
    data: {
      person: { __typename: 'Person', id: 'p_1', name: 'Ada', email: 'a@x.example', emailVerifiedAt: null },
      viewer: {
        ...{
          __typename: 'Account',
          id: 'acct_1',
          isMailSent: false,
          role: 'OWNER',
          debt: 0,
          isFrozen: false,
          frozenFor: [],
        },
        balance: { __typename: 'Balance', available: 0, held: 0 },
      },
      ...{ apiKeys: [...apiKeys], models: [] },
      purchases: { __typename: 'PurchaseConnection', edges: [] },
      calls: { __typename: 'CallConnection', edges: [] },
    },
  });
  const create: Answer = (variables) => {
    const answer = createFirstKey(variables);
    if (answer?.data) apiKeys.push(apiKey);
    return answer;
  };
  const page = renderPage(<OverviewPage />, { Overview: overview, CreateFirstKey: create });
  const listSent = () => page.asked.filter(({ name }) => name === 'CreateFirstKey').map(({ variables }) => variables);
  return { ...page, listSent };
}

describe('useFirstKey', () => {
  const realFetch = globalThis.fetch;
  beforeEach(() => {
    endSessionOfTab();
    // The live balance is asked for by other means, and tells nothing here.
    globalThis.fetch = () => new Promise(() => {});
  });
  afterAll(() => {
    globalThis.fetch = realFetch;
  });

  it('makes one key of presses of either button after a lost answer, and shows its secret', async () => {
    const { user, listSent } = open(answerLost(2, made));
    await user.click(await screen.findByRole('button', { name: 'Create the key' }));
    await screen.findByText('We could not confirm whether the key was created');
    await user.click(screen.getByRole('button', { name: 'Create the key' }));
    await waitFor(() => expect(listSent()).toHaveLength(2));
    await user.click(screen.getByRole('button', { name: 'Create your key' }));
    await screen.findByText('This is the only time your key is shown');
    expect(screen.getAllByText(/sk-tg-the-first/).length).toBeGreaterThan(0);
    expect(listSent()).toHaveLength(3);
    expect(new Set(listSent().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  it('says what the server refuses, and offers to make the key again', async () => {
    const refused: Answer = () => ({ errors: [{ message: 'Not now.', extensions: { code: 'CONFLICT' } }] });
    const { user } = open(refused);
    await user.click(await screen.findByRole('button', { name: 'Create your key' }));
    await screen.findByText('The key was not created');
    screen.getByText('Not now.');
    screen.getByRole('button', { name: 'Create your key' });
  });
});
