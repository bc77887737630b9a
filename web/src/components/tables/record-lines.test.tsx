/** @jest-environment jsdom */
import { screen, within } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { RecordLines } from './record-lines';
import type { RecordColumn } from './record-table';

const row = { model: 'a', credits: '1,918.052', calls: '43' };
const columns: readonly RecordColumn<typeof row>[] = [
  { header: 'Model', card: 'title', cell: ({ model }) => model },
  { header: 'Credits', card: 'figure', align: 'right', cell: ({ credits }) => credits },
];
const more: RecordColumn<typeof row> = { header: 'Calls', align: 'right', cell: ({ calls }) => calls };
const table = { label: 'Rows', rows: [row], keyOf: ({ model }: typeof row) => model };

describe('RecordLines', () => {
  it('shows a row on one line, whose figure is named to whoever does not see its head, and which opens to the rest', () => {
    renderPage(<RecordLines {...table} columns={[...columns, more]} />);
    const item = within(screen.getByRole('list', { name: 'Rows' })).getByRole('listitem');
    expect(item.querySelector('summary')?.textContent).toBe('aCredits 1,918.052');
    expect(item.querySelector('details > dl')?.textContent).toBe('Calls43');
  });

  it('opens nothing where there is no more', () => {
    renderPage(<RecordLines {...table} columns={columns} />);
    expect(screen.getByRole('listitem').textContent).toBe('aCredits 1,918.052');
    expect(document.querySelector('details')).toBeNull();
  });
});
