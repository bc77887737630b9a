/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { BalancePanel } from './balance-panel';
import { LowBalanceBanner } from './low-balance-banner';

const models = [{ tier: 'lower', creditsPerThousandTokens: 1 }];

describe('the balance of the overview', () => {
  it.each([
    [{ available: 0, held: 100 }, 'All of it is reserved by running calls. What they do not use is returned.'],
    [{ available: 2, held: 100 }, 'Buys 2,000 tokens of a lower-tier model.'],
    [{ available: 0, held: 0 }, 'No credits yet. A dollar buys 1,000 credits.'],
    [{ available: -5, held: 0 }, 'No credits yet. A dollar buys 1,000 credits.'],
  ])('says of %j what can be done with it, and that it is used up only when it is', (balance, words) => {
    renderPage(<BalancePanel balance={balance} frozenFor={[]} models={models} days={2} />);
    expect(screen.getByText(words)).toBeTruthy();
    expect(screen.queryByText(/at this pace/) !== null).toBe(balance.available + balance.held > 0);
  });

  it('tells that credits run out or have run out by what is left, reserved credits included', () => {
    renderPage(<LowBalanceBanner balance={{ available: 0, held: 100.5 }} days={2} />);
    expect(screen.getByRole('status').textContent).toMatch(/100\.5 credits are left: about 2 days at this pace\./);
  });
});
