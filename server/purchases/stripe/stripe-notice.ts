import type Stripe from 'stripe';
import type { PaymentNotice, PaymentSubject } from '../payment-gateway.js';

/** The events that can change what a purchase has brought. The webhook's endpoint at Stripe is subscribed to exactly these. */
export const stripeEventTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.dispute.closed',
] as const;

const knownTypes: ReadonlySet<string> = new Set(stripeEventTypes);

/** Takes from an event where to look, and nothing else. An event of another type, or of a connected account, has no subject. */
export function toPaymentNotice(event: Stripe.Event, isLiveKey: boolean): PaymentNotice {
  const isOurs = knownTypes.has(event.type) && event.account === undefined;
  return {
    id: event.id,
    type: event.type,
    createdAtMs: event.created * 1_000,
    isOurMode: event.livemode === isLiveKey,
    subject: isOurs ? findSubject(event.data.object) : null,
  };
}

// A charge, a refund and a dispute each name their payment; a session is the subject itself.
function findSubject(object: Stripe.Event.Data.Object): PaymentSubject | null {
  const { object: kind, id, payment_intent: payment } = object as Readonly<Record<string, unknown>>;
  if (kind === 'payment_intent') return typeof id === 'string' ? { kind: 'payment', id } : null;
  if (kind === 'checkout.session') return typeof id === 'string' ? { kind: 'session', id } : null;
  return typeof payment === 'string' ? { kind: 'payment', id: payment } : null;
}
