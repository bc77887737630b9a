/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { StatementList } from './statement-list';

const edge = (id: string) => ({
  __typename: 'LedgerEntryEdge',
  cursor: id,
  node: {
    ...{ __typename: 'LedgerEntry', id, type: 'PURCHASE', at: '2026-11-20T10:00:00.000Z' },
    ...{ amount: 5_000, balanceAfter: 5_000, callId: null, callCount: null, callsFrom: null, model: null },
  },
});
const answers = {
  Statement: () => ({
    data: {
      viewer: { __typename: 'Account', id: 'acct_1', name: 'Ada', email: 'ada@tollgate.example' },
      statement: {
        __typename: 'LedgerEntryConnection',
        edges: [edge('le_1')],
        pageInfo: { __typename: 'PageInfo', hasNextPage: false, endCursor: 'le_1' },
      },
    },
  }),
};
const { data } = answers.Statement();
const pageInfo = { ...data.statement.pageInfo, hasNextPage: true };
const firstOfMore = { Statement: () => ({ data: { ...data, statement: { ...data.statement, pageInfo } } }) };
const failures = { Statement: () => ({ errors: [{ message: 'Not now' }] }) };
const address = '/credits?from=2026-11-01&to=2026-11-30&lines=purchases';

describe('StatementList on paper', () => {
  const { print } = window;
  const sheets: { part: string | undefined; text: string }[] = [];
  beforeEach(() => {
    sheets.length = 0;
    window.print = () => {
      const part = document.querySelector('.print-part')?.textContent ?? '';
      sheets.push({ part: document.documentElement.dataset.prints, text: part });
      window.dispatchEvent(new Event('afterprint'));
    };
  });
  afterEach(() => {
    window.print = print;
  });

  it('is the statement alone, with whose it is and of which time, and the page is whole again afterwards', async () => {
    const { user } = renderPage(<StatementList />, answers, address);
    await screen.findByText('Purchase');
    await user.click(screen.getByRole('button', { name: 'Print' }));
    await waitFor(() => expect(sheets).toHaveLength(1));
    const lines = 'Ada, ada@tollgate.example. Purchases. From 2026-11-01 00:00:00 UTC until 2026-12-01 00:00:00 UTC.';
    expect(sheets).toEqual([{ part: 'part', text: expect.stringContaining(lines) }]);
    expect(document.documentElement.dataset.prints).toBeUndefined();
  });

  it('says how many lines it has of more, where the browser prints the page as it is', async () => {
    renderPage(<StatementList />, firstOfMore, address);
    await screen.findByText('Purchase');
    const sheet = document.querySelector('.print-part .printed')?.textContent;
    expect(sheet).toContain('until 2026-12-01 00:00:00 UTC. Of these, the newest 1.');
  });

  it('cannot be printed before its first lines are there, nor where they could not be loaded', async () => {
    const { user } = renderPage(<StatementList />, failures, address);
    const button = () => screen.getByRole('button', { name: 'Print' });
    expect(button()).toHaveProperty('disabled', true);
    await screen.findByText('Your statement could not be loaded');
    await user.click(button());
    expect([button(), sheets]).toEqual([expect.objectContaining({ disabled: true }), []]);
  });
});

describe('a line of the statement about use', () => {
  const listing = (node: object) => {
    const line = { ...edge('le_2'), node: { ...edge('le_2').node, type: 'USAGE', amount: -3, ...node } };
    const statement = { ...data.statement, edges: [line] };
    return Object.fromEntries([['Statement', () => ({ data: { ...data, statement } })]]);
  };

  it('names the model of its call, and leads to the receipt', async () => {
    renderPage(<StatementList />, listing({ callId: 'call_1', callCount: 1, model: 'gpt-4o-mini' }), '/credits');
    const link = await screen.findByRole('link', { name: 'Call' });
    expect(link.getAttribute('href')).toContain('request=call_1');
    screen.getByText('gpt-4o-mini');
  });

  it('of several calls leads to the requests of the hours in which they were made', async () => {
    const node = { callCount: 12, callsFrom: '2026-11-20T08:59:00.000Z', at: '2026-11-20T10:00:00.000Z' };
    renderPage(<StatementList />, listing(node), '/credits');
    const link = await screen.findByRole('link', { name: '12 calls' });
    expect(link.getAttribute('href')).toBe('/requests?from=2026-11-20T08&to=2026-11-20T10');
  });
});
