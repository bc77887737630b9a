/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { renderPage } from '../../../test/render-page';
import { MoneyUsage } from './money-usage';

const share = (name: string, charged: number, margin: number) => ({
  ...{ __typename: 'OperatorUsageShare', name, charged, margin, cost: charged - margin },
  ...{ calls: 1, promptTokens: 1, completionTokens: 1, callsWithoutCost: 0 },
});
const usage = {
  ...{ __typename: 'OperatorUsage', otherGroups: 0, summedUntil: null, total: share('total', 164.5, 80) },
  groups: [share('demo-small', 119, 59.5), share('demo-large', 45.5, 20.5)],
};
const answers = {
  OperatorMoneyUsage: () => ({
    data: { operator: { __typename: 'Operator', money: { __typename: 'OperatorMoney', usage } } },
  }),
};

describe('MoneyUsage', () => {
  it('writes credits with three decimals, so that the points of a column stand below one another', async () => {
    const range = { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' };
    renderPage(<MoneyUsage range={range} />, answers);
    await screen.findByText('119.000');
    for (const text of ['59.500', '45.500', '164.500', '80.000', '49 %']) {
      expect(screen.getAllByText(text).length).toBeGreaterThan(0);
    }
  });

  it('keeps the last answer in sight, dimmed, until the one to another division is there', async () => {
    let isHeld = false;
    const range = { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' };
    const answer = () => (isHeld ? null : answers.OperatorMoneyUsage());
    const held = Object.fromEntries([['OperatorMoneyUsage', answer]]);
    const { user } = renderPage(<MoneyUsage range={range} />, held);
    await screen.findByText('119.000');
    const isBusy = () => screen.getByText('119.000').closest('[aria-busy]')?.getAttribute('aria-busy');
    expect(isBusy()).toBe('false');
    isHeld = true;
    await user.selectOptions(screen.getByRole('combobox', { name: 'Divided by' }), 'Account');
    await waitFor(() => expect(isBusy()).toBe('true'));
    // Names of models are no accounts that one could go to.
    expect(screen.queryByRole('link')).toBeNull();
  });
});
