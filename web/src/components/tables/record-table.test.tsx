/** @jest-environment jsdom */
import { screen, within } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { RecordTable } from './record-table';

const row = { model: 'a', credits: '1,918.052', calls: '43', state: 'Paid' };

/** A window that is so wide, at the usual size of letters. */
function setWidth(widthEm: number) {
  const matchMedia = (query: string) => ({
    ...{ matches: widthEm <= Number(/max-width: (\d+)em/.exec(query)?.[1] ?? 0), media: query },
    ...{ addEventListener: () => {}, removeEventListener: () => {}, addListener: () => {}, removeListener: () => {} },
  });
  Object.assign(window, { matchMedia });
}

function showOn(isPhone: boolean, action: string | null = null) {
  setWidth(isPhone ? 24 : 90);
  renderPage(
    <RecordTable
      label="Rows"
      columns={[
        { header: 'Model', card: 'title', cell: ({ model }) => model },
        { header: 'Credits', card: 'figure', align: 'right', cell: ({ credits }) => credits },
        { header: 'Calls', align: 'right', cell: ({ calls }) => calls },
        { header: 'State', card: 'aside', cell: ({ state }) => state },
        { header: 'Actions', cell: () => action },
      ]}
      rows={[row]}
      keyOf={({ model }) => model}
    />,
  );
}

describe('RecordTable', () => {
  it('names each number on a card, as the heads of its columns do in the table', () => {
    showOn(true);
    const card = within(screen.getByRole('list', { name: 'Rows' })).getByRole('listitem');
    expect(card.textContent).toBe('aCredits1,918.052PaidCalls43');
    expect(screen.queryByRole('table')).toBeNull();
  });

  it('is a table on a tablet where its columns are few, and cards where they are many', () => {
    setWidth(48);
    const columns = ['A', 'B', 'C', 'D', 'E', 'F'].map((header) => ({ header, cell: () => header }));
    const table = { label: 'Rows', rows: [row], keyOf: ({ model }: typeof row) => model };
    renderPage(<RecordTable {...table} columns={columns.slice(1)} />);
    expect(screen.getByRole('table', { name: 'Rows' })).toBeTruthy();
    document.body.replaceChildren();
    renderPage(<RecordTable {...table} columns={columns} />);
    expect(screen.queryByRole('table')).toBeNull();
  });

  it('has room for one column of figures more on a tablet', () => {
    setWidth(48);
    const columns = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((header, at) => {
      return { header, cell: () => header, ...(at > 0 && { align: 'right' as const }) };
    });
    const table = { label: 'Rows', rows: [row], keyOf: ({ model }: typeof row) => model };
    renderPage(<RecordTable {...table} columns={columns.slice(0, 6)} />);
    expect(screen.getByRole('table', { name: 'Rows' })).toBeTruthy();
    document.body.replaceChildren();
    renderPage(<RecordTable {...table} columns={columns} />);
    expect(screen.queryByRole('table')).toBeNull();
  });

  it('is a table on a wide screen', () => {
    showOn(false);
    expect(screen.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
      'ModelCreditsCallsState',
      'a1,918.05243Paid',
    ]);
  });

  it('breaks a long address behind its @ and its dots sooner than amid a word, in a table and on a card', () => {
    const address = 'billie.holiday@example.com';
    const show = () => (
      <RecordTable
        label="Rows"
        columns={[
          { header: 'E-mail', breaksWords: true, cell: () => address },
          { header: 'Model', cell: () => 'gpt-4.1' },
        ]}
        rows={[row]}
        keyOf={({ model }) => model}
      />
    );
    const broken = 'billie.<wbr>holiday@<wbr>example.<wbr>com';
    setWidth(90);
    renderPage(show());
    expect(screen.getAllByRole('cell').map(({ innerHTML }) => innerHTML)).toEqual([broken, 'gpt-4.1']);
    expect(screen.getByText(address)).toBeTruthy();
    document.body.replaceChildren();
    setWidth(24);
    renderPage(show());
    expect([...document.querySelectorAll('dd')].map(({ innerHTML }) => innerHTML)).toEqual([broken, 'gpt-4.1']);
  });

  it('has a column where any row has something in it, and none of actions for whoever may do none', () => {
    showOn(false, 'Refund');
    expect(screen.getAllByRole('columnheader').at(-1)?.textContent).toBe('Actions');
    document.body.replaceChildren();
    showOn(false);
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).not.toContain('Actions');
  });
});
