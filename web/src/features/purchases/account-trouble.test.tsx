/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { Shell } from '../../app/shell';
import type { FreezeReason } from '../../gql/graphql';
import { renderPage } from '../../test/render-page';
import { BalancePanel } from '../overview/balance-panel';
import { SetupChecklist } from '../overview/setup-checklist';
import { PlaygroundPage } from '../playground/playground-page';
import { RequireSession } from '../session/session-gate';
import { BuyCredits } from './buy-credits';

function toViewer(trouble: object) {
  return { __typename: 'Account', id: 'acc_1', role: 'OWNER', debt: 0, isFrozen: false, frozenFor: [], ...trouble };
}

function answersOf(trouble: object) {
  const viewer = toViewer(trouble);
  const balance = { __typename: 'Balance', available: 5_000, held: 0 };
  const person = { __typename: 'Person', id: 'acc_1', email: 'ada@example.com', name: 'Ada', accounts: [] };
  const data = {
    ...{ Session: { viewer, person }, Standing: { viewer }, Role: { viewer } },
    ...{ Playground: { viewer: { ...viewer, balance }, models: [] }, CreditPacks: { creditPacks: [] } },
  };
  return Object.fromEntries(Object.entries(data).map(([name, given]) => [name, () => ({ data: given })]));
}

const frozen = { isFrozen: true, frozenFor: ['DISPUTE'] };

describe('What keeps an account from making calls', () => {
  it.each([
    ['frozen for a dispute', { isFrozen: true, frozenFor: ['DISPUTE'] }, /One of your payments is disputed/],
    ['frozen by the auditor', { isFrozen: true, frozenFor: ['AUDIT'] }, /did not add up/],
    ['frozen by an operator', { isFrozen: true, frozenFor: ['OPERATOR'] }, /The operator of this server froze it/],
    ['in debt', { debt: 500 }, /You owe 500 credits/],
  ])('is told above every page of an account that is %s', async (_state, trouble, words) => {
    renderPage(<Shell>Any page</Shell>, answersOf(trouble));
    await screen.findByText(words);
    expect(screen.queryByText('Any page')).not.toBeNull();
  });

  it('comes with the answer that says who is there, and is not asked for by itself', async () => {
    const page = (
      <RequireSession waiting="Waiting">
        <Shell>Any page</Shell>
      </RequireSession>
    );
    const { asked } = renderPage(page, answersOf(frozen));
    await screen.findByText(/One of your payments is disputed/);
    const names = asked.map(({ name }) => name);
    expect(names.filter((name) => name === 'Session')).toHaveLength(1);
    expect(names).not.toContain('Standing');
  });
});

describe('An account that is frozen', () => {
  const steps = { hasKey: true, hasCredits: true, hasCalled: false };
  const checklist = (given: Partial<typeof steps> = {}) => (
    <SetupChecklist
      steps={{ ...steps, ...given }}
      firstKey={{ create: async () => undefined, isCreating: false } as never}
      model="demo-small"
    />
  );

  it.each<[FreezeReason[], string, string]>([
    [[], 'Buy credits', '/credits'],
    [['DISPUTE'], 'See your purchases', '/credits'],
    [['AUDIT', 'DISPUTE'], 'See your purchases', '/credits'],
    [['AUDIT'], 'See where your credits are', '/proof'],
    [['OPERATOR'], 'See where your credits are', '/proof'],
  ])('for %j is led by its balance to “%s”', (frozenFor, words, address) => {
    renderPage(<BalancePanel balance={{ available: 5_000, held: 0 }} frozenFor={frozenFor} models={[]} days={null} />);
    expect(screen.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      [words, address],
    ]);
  });

  it('is offered no first call and no credits among the first steps', async () => {
    renderPage(checklist(), answersOf({}));
    await screen.findByRole('button', { name: 'Run it here' });
    document.body.replaceChildren();
    renderPage(checklist(), answersOf(frozen));
    await screen.findByText(/Calls are refused for now/);
    expect(screen.queryByRole('button', { name: 'Run it here' })).toBeNull();
    document.body.replaceChildren();
    renderPage(checklist({ hasCredits: false }), answersOf(frozen));
    await screen.findByText('No credits are sold while the account is frozen.');
    expect(screen.queryByRole('link', { name: 'Choose an amount of credits' })).toBeNull();
  });

  it('is offered no first call while it owes credits, which a purchase repays', async () => {
    renderPage(checklist({ hasCredits: false }), answersOf({ debt: 500 }));
    await screen.findByText(/Calls are refused for now/);
    expect(screen.queryByRole('link', { name: 'Choose an amount of credits' })).not.toBeNull();
  });

  it('is told where packs would stand that none are sold', async () => {
    renderPage(<BuyCredits />, answersOf(frozen));
    await screen.findByText(/No credits are sold/);
    expect(screen.queryAllByRole('button')).toEqual([]);
  });

  it('is told in the playground that nothing can be sent', async () => {
    renderPage(<PlaygroundPage />, answersOf(frozen));
    await screen.findByText(/Nothing can be sent while the account is frozen\./);
    await waitFor(() => expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true));
  });
});
