import type Stripe from 'stripe';
import type { PaymentNotice, PaymentSubject } from '../payment-gateway.js';
import { findReferencedId } from './find-referenced-id.js';

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
  const isOurs = knownTypes.has(event.type) && (event.account ?? null) === null;
  return {
    id: event.id,
    type: event.type,
    createdAtMs: event.created * 1_000,
    isOurMode: event.livemode === isLiveKey,
    subject: isOurs ? findSubject(event.data.object) : null,
  };
}

// A charge, a refund and a dispute each name their payment; a payment and a session are the subject themselves.
function findSubject(object: Stripe.Event.Data.Object): PaymentSubject | null {
  const { object: kind, payment_intent: payment } = object as Readonly<Record<string, unknown>>;
  const id = findReferencedId(kind === 'payment_intent' || kind === 'checkout.session' ? object : payment);
  return id === null ? null : { kind: kind === 'checkout.session' ? 'session' : 'payment', id };
}
