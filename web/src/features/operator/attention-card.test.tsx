/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { answer, renderPage } from '../../test/render-page';
import { AttentionCard } from './attention-card';

const quiet = {
  ...{ __typename: 'OperatorWatch', processes: [], quarantinedEvents: [] },
  outbox: { __typename: 'OperatorOutbox', givenUp: 0 },
  settlements: { __typename: 'OperatorSettlements', waiting: 0, quarantined: 0 },
  audit: { __typename: 'OperatorAudit', violations: null },
};
const provider = { __typename: 'OperatorProvider', id: 'openai', name: 'OpenAI', isOn: true, retryAt: null };

function show(watch: object, providers: readonly object[] = [provider]) {
  const catalogueStanding = { __typename: 'OperatorCatalogueStanding', fault: null };
  const operator = { __typename: 'OperatorQuery', catalogueStanding, providers, watch: { ...quiet, ...watch } };
  renderPage(<AttentionCard />, Object.fromEntries([['OperatorAttention', answer({ data: { operator } })]]));
}

describe('AttentionCard', () => {
  it('says that nothing needs attention where nothing is wrong', async () => {
    show({});
    await screen.findByRole('heading', { name: 'Nothing needs attention' });
    expect(screen.queryByRole('listitem')).toBeNull();
  });

  it('names what is wrong now, the worst first, each with the page that mends it', async () => {
    const lastMinute = { __typename: 'OperatorProcessMinute', calls: 0, failedCalls: 0, refusals: 0 };
    const process = { __typename: 'OperatorProcess', id: 'p_1', isSilent: true, callsRunning: 0, lastMinute };
    show(
      {
        processes: [process],
        outbox: { ...quiet.outbox, givenUp: 2 },
        settlements: { ...quiet.settlements, quarantined: 1 },
        audit: { ...quiet.audit, violations: 3 },
      },
      [{ ...provider, retryAt: '2026-11-03T00:00:00.000Z' }],
    );
    await screen.findByRole('heading', { name: 'Needs attention' });
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      '3 broken invariants of the ledger. Watching',
      '1 settlement was refused. Money',
      '1 process is silent. Watching',
      '2 notices could not be delivered. Watching',
      'Paused after failures: OpenAI. Providers',
    ]);
    expect(screen.getByRole('link', { name: 'Providers' }).getAttribute('href')).toBe('/operator/providers');
  });

  it('adds up the calls of all processes that report', async () => {
    const running = (id: string, calls: number, isSilent = false) => ({
      ...{ __typename: 'OperatorProcess', id, isSilent, callsRunning: 2 },
      lastMinute: { __typename: 'OperatorProcessMinute', calls, failedCalls: 5, refusals: 1 },
    });
    show({ processes: [running('p_1', 60), running('p_2', 40), running('p_3', 9_000, true)] });
    const figures = await screen.findByText('Calls');
    expect(figures.closest('dl')?.textContent).toBe('Calls100Failed10.0 %Refused2Running now4');
  });
});
