import type Stripe from 'stripe';
import { findFailureCode, isUnderWay, judgePayment, sumReversals } from './stripe-payment.js';

const withdrawn = { disputedCents: 1_000, hasOpenDispute: false };
const given = { disputedCents: 0, hasOpenDispute: false };
const paid = { amountCents: 5_000, currency: 'usd' };

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
      expect(sumReversals(paid, [], [dispute(status, ...amounts)])).toMatchObject(given);
    }
  });

  it('a won one takes what was withdrawn until the funds are reinstated', () => {
    expect(sumReversals(paid, [], [dispute('won', -1_000)])).toMatchObject(withdrawn);
    expect(sumReversals(paid, [], [dispute('won')])).toMatchObject(given);
  });

  it.each([
    ['in the currency of the payment', [-1_000]],
    ['in another currency', [-920]],
    ['after it was won, and withdrawn once more at a better rate', [-920, 1_900, -915]],
  ])('a lost one takes all of it, whatever was moved %s', (_, amounts) => {
    expect(sumReversals(paid, [], [dispute('lost', ...amounts)])).toMatchObject(withdrawn);
  });

  it('a lost one takes all of it, also where no movement is told', () => {
    expect(sumReversals(paid, [], [dispute('lost')])).toMatchObject(withdrawn);
  });

  it.each([undefined, null])('takes all of it and freezes while it runs where its movements are %s', (movements) => {
    const told = (status: Stripe.Dispute.Status) =>
      sumReversals(paid, [], [{ ...dispute(status), balance_transactions: movements } as unknown as Stripe.Dispute]);
    expect(told('needs_response')).toMatchObject({ ...withdrawn, hasOpenDispute: true });
    expect([told('lost'), told('won')]).toMatchObject([withdrawn, given]);
  });

  it('one that runs takes what is withdrawn at the moment', () => {
    const running = { hasOpenDispute: true };
    expect(sumReversals(paid, [], [dispute('needs_response', -920)])).toMatchObject({
      ...running,
      disputedCents: 1_000,
    });
    expect(sumReversals(paid, [], [dispute('under_review', -1_000, 1_000)])).toMatchObject({
      ...running,
      disputedCents: 0,
    });
    expect(sumReversals(paid, [], [dispute('warning_needs_response')])).toMatchObject({ ...running, disputedCents: 0 });
  });
});

describe('What is given back of a payment, or disputed,', () => {
  const undo = (told: { readonly amount?: unknown; readonly currency?: unknown }) => {
    const refund = { status: 'succeeded', ...told } as unknown as Stripe.Refund;
    const lost = { ...dispute('lost', -1), ...told } as Stripe.Dispute;
    return [sumReversals(paid, [refund], []).refundedCents, sumReversals(paid, [], [lost]).disputedCents];
  };

  it('is as many cents as are told in its currency', () => {
    expect(undo({ amount: 1_250, currency: 'usd' })).toEqual([1_250, 1_250]);
  });

  it.each([
    ['yen, which have no cents', { amount: 187_500, currency: 'jpy' }],
    ['dinars, which have a thousand fils', { amount: 384, currency: 'kwd' }],
    ['pounds', { amount: 990, currency: 'gbp' }],
    ['a currency that is not named', { amount: 1_250, currency: undefined }],
    ['no amount', { amount: undefined, currency: 'usd' }],
    ['an amount below nothing', { amount: -1_250, currency: 'usd' }],
    ['a part of a cent', { amount: 12.5, currency: 'usd' }],
    ['a text', { amount: '1250', currency: 'usd' }],
  ])('is all of it where %s is told', (_, told) => {
    expect(undo(told)).toEqual([5_000, 5_000]);
  });

  it('counts a refund in a status that is not known, until it is known to have failed', () => {
    const refund = (status: string | null) => ({ amount: 1_250, currency: 'usd', status }) as Stripe.Refund;
    const statuses = ['succeeded', 'pending', 'requires_action', 'teleported', null, 'failed', 'canceled'];
    const cents = statuses.map((status) => sumReversals(paid, [refund(status)], []).refundedCents);
    expect(cents).toEqual([1_250, 1_250, 1_250, 1_250, 1_250, 0, 0]);
  });
});

describe('A payment by a saved card', () => {
  it.each([
    ['succeeded', 'paid', null],
    ['processing', 'open', null],
    ['requires_payment_method', 'expired', 'requires_payment_method'],
    ['requires_confirmation', 'expired', 'requires_confirmation'],
    ['requires_action', 'expired', 'requires_action'],
    ['requires_capture', 'expired', 'requires_capture'],
    ['canceled', 'expired', 'canceled'],
    ['teleporting', 'open', null],
  ])('that is %s counts as %s, and is canceled unless it was taken or is on its way', (status, judged, code) => {
    const payment = { status, last_payment_error: null } as Stripe.PaymentIntent;
    expect([judgePayment(payment), findFailureCode(payment)]).toEqual([judged, code]);
    expect(isUnderWay(payment)).toBe(['succeeded', 'processing'].includes(status));
  });
});
