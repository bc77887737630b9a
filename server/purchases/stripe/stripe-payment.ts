import type Stripe from 'stripe';
import type { CheckoutSession, PaymentReversals } from '../payment-gateway.js';

// A status that we do not know keeps the account frozen: somebody has to look.
const closedDisputes: ReadonlySet<string> = new Set(['won', 'lost', 'warning_closed', 'prevented']);

/** What Stripe's refunds and disputes of one payment come to. */
export function sumReversals(refunds: readonly Stripe.Refund[], disputes: readonly Stripe.Dispute[]): PaymentReversals {
  return {
    refundedCents: sum(refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled')),
    disputedCents: sum(disputes.filter(isWithdrawn)),
    hasOpenDispute: disputes.some(({ status }) => !closedDisputes.has(status)),
  };
}

/** A session whose payment is on its way, by bank debit for instance, is complete and not yet paid. */
export function judgeSession(
  session: Stripe.Checkout.Session,
  payment: Stripe.PaymentIntent | null,
): CheckoutSession['status'] {
  if (session.payment_status === 'paid') return 'paid';
  if (session.status === 'expired') return 'expired';
  const hasFailed = payment?.status === 'requires_payment_method' || payment?.status === 'canceled';
  return session.status === 'complete' && hasFailed ? 'expired' : 'open';
}

/** A payment by a saved card that was neither taken nor is on its way is over: nobody is there who could finish it. */
export function judgePayment({ status }: Stripe.PaymentIntent): CheckoutSession['status'] {
  if (status === 'succeeded') return 'paid';
  return status === 'processing' ? 'open' : 'expired';
}

export function findReceiptUrl(payment: Stripe.PaymentIntent | null): string | null {
  const charge = payment?.latest_charge;
  return typeof charge === 'object' ? (charge?.receipt_url ?? null) : null;
}

export function findInvoiceUrl({ invoice }: Stripe.Checkout.Session): string | null {
  return typeof invoice === 'object' ? (invoice?.hosted_invoice_url ?? null) : null;
}

/*
 * A dispute's movements on our own balance: out when the funds are withdrawn, in again when they are reinstated. Of a dispute that
 * is over its end decides, and not their sum: a balance in another currency gets them back at another rate, and a fee may be a
 * movement of its own.
 */
function isWithdrawn({ status, balance_transactions: movements }: Stripe.Dispute): boolean {
  if (status === 'lost') return movements.some(({ amount }) => amount < 0);
  if (closedDisputes.has(status) && movements.some(({ amount }) => amount > 0)) return false;
  return sum(movements) < 0;
}

function sum(rows: readonly { readonly amount: number }[]): number {
  return rows.reduce((total, { amount }) => total + amount, 0);
}
