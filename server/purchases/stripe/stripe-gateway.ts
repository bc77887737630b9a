import type Stripe from 'stripe';
import { assertInvariant } from '../../kernel/assert.js';
import type { Secret } from '../../kernel/secret.js';
import {
  type CheckoutSession,
  type CheckoutSessionInput,
  noReversals,
  type PaymentGateway,
  type PaymentNotice,
  type PaymentNoticeSource,
  type PaymentSubject,
  type RefundAnswer,
  type RefundInput,
} from '../payment-gateway.js';
import { findReferencedId } from './find-referenced-id.js';
import { type StripeApi, stripeGatewayName } from './stripe-api.js';
import { autoTopUpKind } from './stripe-cards.js';
import { stripeEventTypes, toPaymentNotice } from './stripe-notice.js';
import {
  findFailureCode,
  findInvoiceUrl,
  findReceiptUrl,
  judgePayment,
  judgeSession,
  type PaidAmount,
  sumReversals,
} from './stripe-payment.js';
import { listOurRefunds, makeStripeRefund } from './stripe-refunds.js';

/** Stripe permits a day; a retry of the same purchase must find the same figure still acceptable. */
const openForSeconds = 23 * 60 * 60;
/** A delivery that was signed longer ago may be one that somebody has recorded. */
const signatureSecondsMax = 300;
/** Whoever deletes an account waits for it. */
const expiryTimeoutMs = 3_000;
/** Nobody refunds or disputes one payment more often than this. */
const reversalsMax = 1_000;
const nothingReversed = { reversals: noReversals, refunds: [] } as const;

/** Stripe, asked over its API: whatever an event or a browser says, only what Stripe answers here counts. */
export class StripeGateway implements PaymentGateway, PaymentNoticeSource {
  readonly name = stripeGatewayName;
  // By the key: which account it is of, a restricted one may not ask. One that is new has all of Stripe's thirty days looked at once.
  readonly noticeSource: string;
  readonly takesRealMoney: boolean;
  readonly #stripe: Stripe;

  constructor(
    private readonly api: StripeApi,
    private readonly webhookSecrets: readonly Secret[],
  ) {
    this.#stripe = api.client;
    this.takesRealMoney = api.isLive;
    this.noticeSource = `${stripeGatewayName}:${api.keyMark}`;
  }

  async createCheckoutSession(input: CheckoutSessionInput): Promise<{ sessionId: string; url: string }> {
    const facts = { purchase_id: input.purchaseId, account_id: input.accountId };
    const session = await this.api.askForCustomer(input.accountId, (customer) =>
      this.api.makeOnce(facts, (metadata) =>
        this.#stripe.checkout.sessions.create(
          {
            mode: 'payment',
            customer,
            client_reference_id: input.purchaseId,
            line_items: [
              {
                quantity: 1,
                price_data: {
                  currency: input.currency,
                  unit_amount: input.amountCents,
                  product_data: { name: input.title },
                },
              },
            ],
            metadata,
            payment_intent_data: { metadata, description: input.title },
            invoice_creation: { enabled: true, invoice_data: { metadata } },
            // The amount that comes back has to be ours, to the cent and in our currency.
            adaptive_pricing: { enabled: false },
            allow_promotion_codes: false,
            expires_at: Math.floor(input.createdAtMs / 1_000) + openForSeconds,
            success_url: input.returnUrl,
            cancel_url: input.cancelUrl,
          },
          { idempotencyKey: `checkout:${input.purchaseId}:${customer}` },
        ),
      ),
    );
    assertInvariant(session.url !== null, 'Stripe gives a new checkout session an address');
    return { sessionId: session.id, url: session.url };
  }

  async findCheckoutSession(sessionId: string): Promise<CheckoutSession | null> {
    if (isPaymentId(sessionId)) return this.#findPayment(sessionId);
    const expand = ['payment_intent.latest_charge', 'invoice'];
    const session = await this.api.find(() => this.#stripe.checkout.sessions.retrieve(sessionId, { expand }));
    if (session?.mode !== 'payment' || session.livemode !== this.api.isLive) return null;
    const payment = typeof session.payment_intent === 'string' ? null : session.payment_intent;
    const paymentId = findReferencedId(session.payment_intent);
    const status = judgeSession(session, payment);
    // What of it was given back, nobody could say.
    if (status === 'paid' && paymentId === null) return null;
    const paid = { amountCents: session.amount_total ?? 0, currency: session.currency ?? '' };
    return {
      sessionId: session.id,
      status,
      ...paid,
      purchaseId: session.client_reference_id,
      accountId: session.metadata?.account_id ?? null,
      installationId: session.metadata?.installation_id ?? null,
      ...(status === 'paid' && paymentId ? await this.#findReversals(paymentId, paid) : nothingReversed),
      receiptUrl: findReceiptUrl(payment),
      invoiceUrl: findInvoiceUrl(session),
      failureCode: null,
    };
  }

  async expireCheckoutSession(sessionId: string): Promise<void> {
    const bounds = { timeout: expiryTimeoutMs, maxNetworkRetries: 0 };
    await this.api.find(() => this.#stripe.checkout.sessions.expire(sessionId, {}, bounds));
  }

  async refundPayment({ sessionId, ...refund }: RefundInput): Promise<RefundAnswer> {
    if (isPaymentId(sessionId)) return makeStripeRefund(this.api, sessionId, refund);
    const session = await this.api.find(() => this.#stripe.checkout.sessions.retrieve(sessionId));
    const paymentId = findReferencedId(session?.payment_intent);
    if (paymentId === null) return { status: 'refused', code: 'resource_missing' };
    return makeStripeRefund(this.api, paymentId, refund);
  }

  async findSessionIdOf({ kind, id }: PaymentSubject): Promise<string | null> {
    if (kind === 'session') return id;
    const page = await this.api.ask(() => this.#stripe.checkout.sessions.list({ payment_intent: id, limit: 1 }));
    const sessionId = page.data[0]?.id;
    if (sessionId !== undefined) return sessionId;
    return (await this.#findPayment(id)) === null ? null : id;
  }

  async findNotice(id: string): Promise<PaymentNotice | null> {
    const event = await this.api.find(() => this.#stripe.events.retrieve(id));
    return event && toPaymentNotice(event, this.api.isLive);
  }

  async *listNotices(sinceMs: number): AsyncGenerator<PaymentNotice> {
    const wanted = { types: [...stripeEventTypes], created: { gte: Math.floor(sinceMs / 1_000) }, limit: 100 };
    for (let behind: { starting_after?: string } = {}; ; ) {
      const { data, has_more: isMore } = await this.api.ask(() => this.#stripe.events.list({ ...wanted, ...behind }));
      for (const event of data) yield toPaymentNotice(event, this.api.isLive);
      const last = data.at(-1);
      if (!isMore || last === undefined) return;
      behind = { starting_after: last.id };
    }
  }

  /**
   * Reads a delivery of the webhook.
   * @param rawBody The bytes as they arrived: the signature is over them, not over what they mean.
   * @returns null when no secret of ours signed them within the last five minutes.
   */
  readNotice(rawBody: Buffer, signature: string): PaymentNotice | null {
    const { webhooks } = this.#stripe;
    const isGenuine = this.webhookSecrets.some((secret) => isSignedBy(webhooks, { rawBody, signature, secret }));
    return isGenuine ? toPaymentNotice(JSON.parse(rawBody.toString('utf8')) as Stripe.Event, this.api.isLive) : null;
  }

  // A payment that we made ourselves, by a saved card. One that belongs to a checkout is asked for by its session.
  async #findPayment(paymentId: string): Promise<CheckoutSession | null> {
    const expand = ['latest_charge'];
    const payment = await this.api.find(() => this.#stripe.paymentIntents.retrieve(paymentId, { expand }));
    if (payment?.metadata.kind !== autoTopUpKind || payment.livemode !== this.api.isLive) return null;
    const status = judgePayment(payment);
    const paid = { amountCents: payment.amount, currency: payment.currency };
    return {
      sessionId: payment.id,
      status,
      ...paid,
      purchaseId: payment.metadata.purchase_id ?? null,
      accountId: payment.metadata.account_id ?? null,
      installationId: payment.metadata.installation_id ?? null,
      ...(status === 'paid' ? await this.#findReversals(payment.id, paid) : nothingReversed),
      receiptUrl: findReceiptUrl(payment),
      invoiceUrl: null,
      failureCode: findFailureCode(payment),
    };
  }

  // Lists, since the totals that stand on a charge say nothing of refunds that failed later.
  async #findReversals(paymentId: string, paid: PaidAmount): Promise<Pick<CheckoutSession, 'reversals' | 'refunds'>> {
    const ofPayment = { payment_intent: paymentId, limit: 100 };
    const page = { limit: reversalsMax };
    const [refunds, disputes] = await Promise.all([
      this.api.ask(() => this.#stripe.refunds.list(ofPayment).autoPagingToArray(page)),
      this.api.ask(() => this.#stripe.disputes.list(ofPayment).autoPagingToArray(page)),
    ]);
    return { reversals: sumReversals(paid, refunds, disputes), refunds: listOurRefunds(refunds) };
  }
}

function isPaymentId(sessionId: string): boolean {
  return sessionId.startsWith('pi_');
}

interface Delivery {
  readonly rawBody: Buffer;
  readonly signature: string;
  readonly secret: Secret;
}

// Stripe's library trips over some headers that strangers write, an empty signature for one, and throws what it throws at
// faults of ours. Whatever it throws here, this secret did not sign the delivery.
function isSignedBy({ signature: checker }: Stripe['webhooks'], { rawBody, signature, secret }: Delivery): boolean {
  assertInvariant(checker !== null, 'Stripe’s library checks signatures');
  try {
    return checker.verifyHeader(rawBody, signature, secret.reveal(), signatureSecondsMax);
  } catch {
    return false;
  }
}
