import type Stripe from 'stripe';
import type { CheckoutSession, PaymentReversals } from '../payment-gateway.js';

// A status that we do not know keeps the account frozen: somebody has to look.
const closedDisputes: ReadonlySet<string> = new Set(['won', 'lost', 'warning_closed', 'prevented']);

/** Of a payment by a saved card: taken, or on its way. */
const paymentsUnderWay: ReadonlySet<string> = new Set(['succeeded', 'processing']);
/** Nobody is there who could finish these. */
const unfinishedPayments: ReadonlySet<string> = new Set([
  ...['requires_payment_method', 'requires_confirmation', 'requires_action', 'requires_capture'],
  'canceled',
]);

/** What was paid, in the smallest unit of a currency. */
export type PaidAmount = Pick<CheckoutSession, 'amountCents' | 'currency'>;

/**
 * What Stripe's refunds and disputes of one payment come to. One whose amount is told in another currency, or not at all, counts as all of it:
 * nobody knows how many of its cents are meant.
 */
export function sumReversals(
  paid: PaidAmount,
  refunds: readonly Stripe.Refund[],
  disputes: readonly Stripe.Dispute[],
): PaymentReversals {
  return {
    refundedCents: sumIn(
      paid,
      refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled'),
    ),
    disputedCents: sumIn(paid, disputes.filter(isWithdrawn)),
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

/** Whether a payment by a saved card was taken, or may be without anybody's doing. */
export function isUnderWay({ status }: Pick<Stripe.PaymentIntent, 'status'>): boolean {
  return paymentsUnderWay.has(status);
}

/** A payment by a saved card is over when nobody is there who could finish it. One in a status that we do not know may still be taken. */
export function judgePayment({ status }: Pick<Stripe.PaymentIntent, 'status'>): CheckoutSession['status'] {
  if (status === 'succeeded') return 'paid';
  return unfinishedPayments.has(status) ? 'expired' : 'open';
}

/** Why a payment was not taken: the error of its last attempt, or, where there was none, the status that it stands in. null: it was, or may be. */
export function findFailureCode(payment: Stripe.PaymentIntent): string | null {
  return payment.last_payment_error?.code ?? (judgePayment(payment) === 'expired' ? payment.status : null);
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
 * movement of its own. The money of a lost one is gone, whatever is told of its movements, and that of one that runs where nothing is.
 */
function isWithdrawn({ status, balance_transactions: movements }: Stripe.Dispute): boolean {
  if (status === 'lost') return true;
  if (!Array.isArray(movements)) return !closedDisputes.has(status);
  if (closedDisputes.has(status) && movements.some(({ amount }) => amount > 0)) return false;
  return sum(movements) < 0;
}

function sumIn(
  { amountCents, currency }: PaidAmount,
  rows: readonly { readonly amount: number; readonly currency: string }[],
): number {
  const isKnown = (row: { readonly amount: number; readonly currency: string }) =>
    row.currency === currency && Number.isSafeInteger(row.amount) && row.amount >= 0;
  return rows.reduce((total, row) => total + (isKnown(row) ? row.amount : amountCents), 0);
}

function sum(rows: readonly { readonly amount: number }[]): number {
  return rows.reduce((total, { amount }) => total + amount, 0);
}
