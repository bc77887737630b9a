import type Stripe from 'stripe';
import { sumReversals } from './stripe-payment.js';

const withdrawn = { disputedCents: 1_000, hasOpenDispute: false };
const given = { disputedCents: 0, hasOpenDispute: false };

/** A dispute of 10 dollars, with what it moved on our balance in the smallest unit of its currency. */
function dispute(status: Stripe.Dispute.Status, ...amounts: number[]): Stripe.Dispute {
  return {
    ...{ amount: 1_000, currency: 'usd', status },
    balance_transactions: amounts.map((amount) => ({ amount })),
  } as unknown as Stripe.Dispute;
}

describe('What a dispute comes to', () => {
  it.each([
    ['in the currency of the payment', [-1_000, 1_000]],
    ['in another currency, at a worse rate', [-920, 915]],
    ['in another currency, at a better rate', [-920, 931]],
    ['with a fee as a movement of its own', [-1_000, -1_500, 1_000]],
    ['told in the other order', [1_000, -1_000]],
  ])('a won one takes nothing once the funds are reinstated %s', (_, amounts) => {
    for (const status of ['won', 'prevented', 'warning_closed'] as const) {
      expect(sumReversals([], [dispute(status, ...amounts)])).toMatchObject(given);
    }
  });

  it('a won one takes what was withdrawn until the funds are reinstated', () => {
    expect(sumReversals([], [dispute('won', -1_000)])).toMatchObject(withdrawn);
    expect(sumReversals([], [dispute('won')])).toMatchObject(given);
  });

  it.each([
    ['in the currency of the payment', [-1_000]],
    ['in another currency', [-920]],
    ['after it was won, and withdrawn once more at a better rate', [-920, 1_900, -915]],
  ])('a lost one takes all of it, whatever was moved %s', (_, amounts) => {
    expect(sumReversals([], [dispute('lost', ...amounts)])).toMatchObject(withdrawn);
  });

  it('one that runs takes what is withdrawn at the moment', () => {
    const running = { hasOpenDispute: true };
    expect(sumReversals([], [dispute('needs_response', -920)])).toMatchObject({ ...running, disputedCents: 1_000 });
    expect(sumReversals([], [dispute('under_review', -1_000, 1_000)])).toMatchObject({ ...running, disputedCents: 0 });
    expect(sumReversals([], [dispute('warning_needs_response')])).toMatchObject({ ...running, disputedCents: 0 });
  });
});
