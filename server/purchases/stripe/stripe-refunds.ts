import type Stripe from 'stripe';
import type { RefundAnswer, RefundInput, RefundStanding } from '../payment-gateway.js';
import { loadStripe } from './load-stripe.js';
import type { StripeApi } from './stripe-api.js';

/** Nobody refunds one payment more often than this. */
const refundsMax = 1_000;

/**
 * Makes a refund at Stripe, once. Its key is forgotten there after a day, so refunds that are there are looked through first.
 * @throws AppError `service_unavailable` as `StripeApi.ask`.
 */
export async function makeStripeRefund(
  api: StripeApi,
  paymentId: string,
  { refundId, cents }: Omit<RefundInput, 'sessionId'>,
): Promise<RefundAnswer> {
  const { refunds } = api.client;
  const there = await api.find(() =>
    refunds.list({ payment_intent: paymentId, limit: 100 }).autoPagingToArray({ limit: refundsMax }),
  );
  if (there === null) return { status: 'refused', code: 'resource_missing' };
  const known = there.find(({ metadata }) => metadata?.refund_id === refundId);
  if (known) return toAnswer(known);
  return api.ask(async () => {
    try {
      const wanted = { payment_intent: paymentId, amount: cents, metadata: { refund_id: refundId } };
      return toAnswer(await refunds.create(wanted, { idempotencyKey: `refund:${refundId}` }));
    } catch (error) {
      const code = findRefusal(error);
      if (code === null) throw error;
      return { status: 'refused', code };
    }
  });
}

/** How those of Stripe's refunds stand that `makeStripeRefund` has made. */
export function listOurRefunds(refunds: readonly Stripe.Refund[]): RefundStanding[] {
  return refunds.flatMap((refund) => {
    const refundId = refund.metadata?.refund_id;
    return refundId === undefined ? [] : [{ refundId, ...toAnswer(refund) }];
  });
}

// Whatever Stripe does not call over, one day in a word that we do not know, is on its way.
function toAnswer({ id, status, failure_reason: reason }: Stripe.Refund): RefundAnswer {
  if (status === 'failed' || status === 'canceled') return { status: 'refused', code: reason ?? status };
  return { status: status === 'succeeded' ? 'made' : 'pending', gatewayRefundId: id };
}

// What Stripe says of this very refund, such as that the payment was refunded, is disputed or is none of this account's. Keys and rights are settings.
function findRefusal(error: unknown): string | null {
  const { StripeInvalidRequestError } = loadStripe().errors;
  return error instanceof StripeInvalidRequestError && [400, 404].includes(Number(error.statusCode))
    ? (error.code ?? 'refused')
    : null;
}
