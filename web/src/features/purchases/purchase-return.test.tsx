/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { PurchaseReturn } from './purchase-return';

const paid = {
  ...{ __typename: 'Purchase', id: 'pur_1', status: 'PAID', dollars: 20, credits: 20_000, checkoutUrl: null },
  ...{ refundedCredits: 0, disputedCredits: 0 },
};

function open(purchase: object, available: number, debt: number) {
  const balance = { __typename: 'Balance', available };
  const there = () => ({ data: { viewer: { __typename: 'Account', id: 'acc_1', debt, balance } } });
  const confirmed = () => ({ data: { confirmPurchase: { ...paid, ...purchase } } });
  renderPage(<PurchaseReturn purchaseId="pur_1" />, { ConfirmPurchase: confirmed, CreditsThere: there });
}

describe('The page where a purchase ends', () => {
  it.each([
    [{}, 0, 0, /20,000 credits were bought\..*0 credits are available now\./],
    [{}, 0, 500, /0 credits are available now, and 500 are owed\./],
    [{ refundedCredits: 20_000 }, 3, 0, /20,000 were refunded\..*3 credits are available now\./],
    [{ disputedCredits: 20_000 }, 0, 0, /20,000 were taken back in a dispute\./],
  ])('says of %j what is there, and not that all of it is in the balance', async (purchase, available, debt, words) => {
    open(purchase, available, debt);
    await screen.findByText(words);
    expect(screen.queryByText(/are in your balance/)).toBeNull();
  });
});
