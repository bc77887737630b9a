/** @jest-environment jsdom */
import { act, fireEvent, screen } from '@testing-library/react';
import { type Answer, renderPage } from '../../test/render-page';
import { PurchaseReturn } from './purchase-return';

const paid = {
  ...{ __typename: 'Purchase', id: 'pur_1', status: 'PAID', dollars: 20, credits: 20_000, checkoutUrl: null },
  ...{ refundedCredits: 0, disputedCredits: 0 },
};

function open(purchase: object, available: number, debt: number, isFrozen = false) {
  const balance = { __typename: 'Balance', available };
  const there = () => ({ data: { viewer: { __typename: 'Account', id: 'acc_1', debt, isFrozen, balance } } });
  const confirmed = () => ({ data: { confirmPurchase: { ...paid, ...purchase } } });
  renderPage(<PurchaseReturn purchaseId="pur_1" />, { ConfirmPurchase: confirmed, CreditsThere: there });
}

describe('The page where a purchase ends', () => {
  it.each([
    [{}, 0, 0, /20,000 credits were bought\..*0 credits are available now\./],
    [{}, 0, 500, /0 credits are available now, and 500 are still owed\./],
    [{ refundedCredits: 20_000 }, 3, 0, /20,000 were refunded\..*3 credits are available now\./],
    [{ disputedCredits: 20_000 }, 0, 0, /20,000 were taken back in a dispute\./],
  ])('says of %j what is there, and not that all of it is in the balance', async (purchase, available, debt, words) => {
    open(purchase, available, debt);
    await screen.findByText(words);
    expect(screen.queryByText(/are in your balance/)).toBeNull();
    expect(screen.queryByText(/debt/) !== null).toBe(debt > 0);
    expect(screen.queryByRole('link', { name: 'Make a call' })).not.toBeNull();
  });

  it('has the receipt of what was paid', async () => {
    open({}, 20_000, 0);
    const receipt = await screen.findByRole('link', { name: 'Receipt' });
    expect(receipt.getAttribute('href')).toBe('/purchases/pur_1/receipt');
  });

  it('leads nobody whose account is frozen to a call that would be refused', async () => {
    open({}, 20_000, 0, true);
    await screen.findByText(/20,000 credits are available now\. The account is frozen. Calls are refused/);
    expect(screen.queryByRole('link', { name: 'Make a call' })).toBeNull();
  });

  describe('while the payment has not arrived', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    it('is looked after slower and slower for some minutes, also when an answer is lost, and then by a press alone', async () => {
      const atMs: number[] = [];
      let isPaid = false;
      const confirmed: Answer = () => {
        atMs.push(Date.now());
        if (atMs.length === 3) throw new TypeError('Failed to fetch');
        return { data: { confirmPurchase: { ...paid, status: isPaid ? 'PAID' : 'PENDING' } } };
      };
      renderPage(<PurchaseReturn purchaseId="pur_1" />, { ConfirmPurchase: confirmed });
      const goOn = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));
      await goOn(100);
      screen.getByText(/This page checks again automatically/);
      // Step by step, since a page begins its next wait behind each.
      for (let second = 0; second < 1_200; second += 1) await goOn(1_000);
      const [firstMs = 0] = atMs;
      expect((atMs.at(-1) ?? 0) - firstMs).toBeLessThan(600_000);
      expect(atMs.length).toBeLessThan(20);
      const waitsSeconds = atMs.slice(1).map((ms, index) => Math.round((ms - (atMs[index] ?? 0)) / 1_000));
      expect(waitsSeconds).toEqual(waitsSeconds.toSorted((one, other) => one - other));
      expect(waitsSeconds.at(-1)).toBeGreaterThan(10);
      screen.getByText(/This page has stopped checking/);
      isPaid = true;
      await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Check now' })));
      await goOn(100);
      screen.getByText('Paid. Thank you');
    });
  });
});
