/** @jest-environment jsdom */
import { screen, waitFor, within } from '@testing-library/react';
import { answer, renderPage } from '../../test/render-page';
import { StatusPage } from './status-page';

const known = { __typename: 'ServiceFigures', uptimePercent: 99.98, p50Ms: 1_200, p95Ms: 4_020, firstByteP50Ms: 300 };
const unknown = { ...known, uptimePercent: null, p50Ms: null, p95Ms: null, firstByteP50Ms: null };
const provider = (id: string) => ({ __typename: 'Provider', id, name: id, isDemo: false, state: 'HEALTHY' });
const model = (name: string, figures: object) => ({ __typename: 'ModelMeasures', model: name, figures });
const measures = (id: string, figures: object, models: readonly object[]) => ({
  ...{ __typename: 'ProviderMeasures', provider: id, figures, days: [], models },
});

function open(providers: readonly ReturnType<typeof measures>[]) {
  const serviceStatus = { __typename: 'ServiceStatus', measuredAt: '2026-11-20T10:00:00.000Z', providers };
  const data = { providers: ['often', 'seldom'].map(provider), announcements: [], serviceStatus };
  const answers = Object.fromEntries(['ProvidersNow', 'ServiceStatus'].map((name) => [name, () => ({ data })]));
  return renderPage(<StatusPage />, answers);
}

describe('StatusPage', () => {
  it('lists what was measured, and says in one sentence what was asked too few times for it', async () => {
    open([
      measures('often', known, [model('a', known), model('b', unknown), model('c', unknown)]),
      measures('seldom', unknown, [model('d', unknown)]),
    ]);
    const often = within(await screen.findByRole('region', { name: 'often' }));
    const table = within(await often.findByRole('table', { name: 'Models of often' }));
    expect(table.getAllByRole('row').map((row) => row.textContent)).toEqual([
      'ModelUptimep50p95TTFT, p50',
      'a99.98 %1.20 s4.02 s300 ms',
    ]);
    often.getByText('2 more models had too few calls to be measured.');
    const seldom = within(screen.getByRole('region', { name: 'seldom' }));
    seldom.getByText('Not measured yet: it had too few calls in the last 30 days.');
    expect([seldom.queryByRole('table'), screen.queryByText(/^not measured yet$/)]).toEqual([null, null]);
  });

  it('counts the models where none was asked often enough', async () => {
    open([measures('often', known, [model('b', unknown)])]);
    await screen.findByText('1 model had too few calls to be measured.');
    expect(screen.queryByRole('table')).toBeNull();
  });

  it.each([
    ['its answer has not come', () => null],
    ['its answer is lost', () => ({ errors: [{ message: 'The database is away.' }] })],
  ])('claims of no provider that it was not measured while %s', async (_, serviceStatus) => {
    const data = { providers: [provider('often')], announcements: [] };
    const { asked } = renderPage(<StatusPage />, { ProvidersNow: answer({ data }), ServiceStatus: serviceStatus });
    await waitFor(() => expect(asked.length).toBe(2));
    if (serviceStatus() !== null) await screen.findByText('The measurements could not be loaded');
    expect(screen.queryByText(/Not measured yet/)).toBeNull();
  });
});
