/** @jest-environment jsdom */
import { screen, within } from '@testing-library/react';
import { findLocalStorage } from '../../lib/browser-storage';
import { keepView } from '../../lib/reports/saved-views';
import { renderPage } from '../../test/render-page';
import { SavedViews } from './saved-views';

const account = {
  owner: 'acct_1 acct_1',
  ...{ items: [], isLoading: false, fault: null, withheld: null, refusal: null },
  ...{ load: () => undefined, save: async () => true, remove: async () => true },
};

const mine = { page: 'requests', owner: account.owner } as const;

function open(path: string, owner: string | null = account.owner) {
  return renderPage(<SavedViews page="requests" label="Saved filters" account={{ ...account, owner }} />, {}, path);
}

describe('SavedViews', () => {
  afterEach(() => localStorage.clear());

  it('says why a view is not kept when there are twenty, keeps its name, and has it once one was deleted', async () => {
    for (let n = 1; n <= 20; n += 1) keepView(findLocalStorage(), mine, { name: `View ${n}`, search: '' });
    const { user } = open('/requests?model=demo-small');
    await user.click(screen.getByRole('button', { name: 'Saved filters' }));
    const field = await screen.findByRole('textbox', { name: 'Name of this view' });
    await user.type(field, 'Mine{Enter}');
    await screen.findByText(/^This browser keeps up to 20/);
    expect(field).toHaveProperty('value', 'Mine');
    await user.click(screen.getByRole('button', { name: 'Delete View 7' }));
    expect(screen.queryByText(/^This browser keeps up to 20/)).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Save' }));
    within(screen.getByRole('list', { name: 'In this browser' })).getByText('Mine');
    expect(field).toHaveProperty('value', '');
  });

  it.each([
    ['another person in the same account', 'acct_2 acct_1'],
    ['the same person in another account', 'acct_1 acct_2'],
    ['whoever is not known yet', null],
  ])('shows what one person has saved to nobody else in the same browser: to %s', async (_who, owner) => {
    keepView(findLocalStorage(), mine, { name: 'Merger', search: 'tag=merger' });
    const { user } = open('/requests', owner);
    await user.click(screen.getByRole('button', { name: 'Saved filters' }));
    await screen.findByRole('textbox', { name: 'Name of this view' });
    expect(screen.queryByText('Merger')).toBeNull();
  });

  it('says so when the search is too long to be kept, and keeps its name', async () => {
    const { user } = open(`/requests?tag=${'x'.repeat(2_000)}`);
    await user.click(screen.getByRole('button', { name: 'Saved filters' }));
    const field = await screen.findByRole('textbox', { name: 'Name of this view' });
    await user.type(field, 'Long{Enter}');
    await screen.findByText(/^This is empty or too long/);
    expect(field).toHaveProperty('value', 'Long');
  });
});
