import { setTimeout as sleep } from 'node:timers/promises';
import type Stripe from 'stripe';
import type { StripeSettings } from '../../config/stripe-settings.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { createStripeClient } from './load-stripe.js';
import { StripeEventEntity } from './stripe-event.entity.js';

export interface StripeTestEventParts {
  /** null: no real money is taken. */
  readonly settings: StripeSettings | null;
  readonly publicUrl: string;
  readonly unitOfWork: Pick<UnitOfWork, 'reader'>;
  /** Left out: 25 seconds. */
  readonly timeoutMs?: number;
}

/** Whether an event of Stripe's came to the webhook; else why not, with the remedy. */
export type StripeTestEvent =
  | { readonly isReceived: true; readonly fault: null }
  | { readonly isReceived: false; readonly fault: string };

const usualTimeoutMs = 25_000;
const pauseMs = 500;
const smallestCents = 100;
const type = 'checkout.session.expired';

/**
 * Has Stripe itself send an event, and waits until the webhook has it: a checkout of a dollar is opened and ended at once, which nobody
 * can pay and which costs nothing, also with a live key. Never throws for what Stripe answers.
 */
export async function tryStripeEvent({
  settings,
  publicUrl,
  unitOfWork,
  timeoutMs = usualTimeoutMs,
}: StripeTestEventParts): Promise<StripeTestEvent> {
  if (settings === null) return missing('STRIPE_SECRET_KEY is not set: no real money is taken. Set it first.');
  const address = `${publicUrl}/webhooks/stripe`;
  if (settings.webhookSecrets.length === 0) {
    return missing(`STRIPE_WEBHOOK_SECRET is not set. Make a webhook at Stripe for ${address}, and set its secret.`);
  }
  const stripe = createStripeClient(settings, { retriesMax: 1 });
  const endsAtMs = performance.now() + timeoutMs;
  try {
    const eventId = await makeEvent(stripe, publicUrl, endsAtMs);
    const isThere = () =>
      eventId === null ? false : unitOfWork.reader.existsBy(StripeEventEntity, { id: eventId, type });
    while (!(await isThere())) {
      if (performance.now() >= endsAtMs) return missing(wordsOf(eventId, address));
      await sleep(pauseMs);
    }
    return { isReceived: true, fault: null };
  } catch (error) {
    const said = (error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 300);
    return missing(`Stripe did not do it: ${said}. Correct STRIPE_SECRET_KEY, or what it may do.`);
  }
}

/** @returns the id of the event; null: Stripe has made none in time. */
async function makeEvent(stripe: Stripe, publicUrl: string, endsAtMs: number): Promise<string | null> {
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'usd', unit_amount: smallestCents, product_data: { name: 'Test of the webhook' } },
      },
    ],
    metadata: { tollgate: 'test event' },
    success_url: `${publicUrl}/operator/setup`,
  });
  await stripe.checkout.sessions.expire(session.id);
  for (;;) {
    const { data } = await stripe.events.list({ type, created: { gte: session.created }, limit: 100 });
    const event = data.find(({ data: { object } }) => 'id' in object && object.id === session.id);
    if (event) return event.id;
    if (performance.now() >= endsAtMs) return null;
    await sleep(pauseMs);
  }
}

function wordsOf(eventId: string | null, address: string): string {
  if (eventId === null) return 'Stripe has made no event of it yet. Try again in a minute.';
  return `Stripe has made ${eventId}, and it did not come. At Stripe, the webhook has to be ${address}, with ${type} among its events and STRIPE_WEBHOOK_SECRET as its secret; its page shows each delivery and what it was answered.`;
}

function missing(fault: string): StripeTestEvent {
  return { isReceived: false, fault };
}
