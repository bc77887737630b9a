import Stripe from 'stripe';
import type { StripeSettings } from '../config.js';
import { AppError } from '../kernel/app-error.js';
import { assertInvariant } from '../kernel/assert.js';
import type { Logger } from '../kernel/logger.js';
import type { Secret } from '../kernel/secret.js';
import {
  type CheckoutSession,
  type CheckoutSessionInput,
  noReversals,
  type PaymentGateway,
  type PaymentNotice,
  type PaymentNoticeSource,
  type PaymentReversals,
  type PaymentSubject,
} from './payment-gateway.js';
import type { StripeCustomers } from './stripe-customers.js';
import { stripeEventTypes, toPaymentNotice } from './stripe-notice.js';

/** Stripe permits a day; a retry of the same purchase must find the same figure still acceptable. */
const openForSeconds = 23 * 60 * 60;
const requestTimeoutMs = 10_000;
/** Nobody refunds or disputes one payment more often than this. */
const reversalsMax = 1_000;

export const stripeGatewayName = 'stripe';

export interface StripeGatewayParts {
  readonly settings: StripeSettings;
  readonly customers: StripeCustomers;
  readonly logger: Logger;
}

/** Stripe, asked over its API: whatever an event or a browser says, only what Stripe answers here counts. */
export class StripeGateway implements PaymentGateway, PaymentNoticeSource {
  readonly name = stripeGatewayName;
  readonly #stripe: Stripe;
  readonly #isLive: boolean;

  /** @throws Error for a live key together with a double: a key for real money goes to Stripe and nobody else. */
  constructor(private readonly parts: StripeGatewayParts) {
    const { secretKey, apiBase } = parts.settings;
    this.#isLive = isLiveKey(secretKey);
    assertInvariant(apiBase === null || !this.#isLive, 'a live key is only ever sent to Stripe');
    this.#stripe = new Stripe(secretKey.reveal(), {
      ...(apiBase === null ? {} : toHost(apiBase)),
      timeout: requestTimeoutMs,
      maxNetworkRetries: 2,
      telemetry: false,
    });
  }

  async createCheckoutSession(input: CheckoutSessionInput): Promise<{ sessionId: string; url: string }> {
    const customer = await this.#getCustomer(input.accountId);
    const metadata = { purchase_id: input.purchaseId, account_id: input.accountId };
    const session = await this.#ask(() =>
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
        { idempotencyKey: `checkout:${input.purchaseId}` },
      ),
    );
    assertInvariant(session.url !== null, 'Stripe gives a new checkout session an address');
    return { sessionId: session.id, url: session.url };
  }

  async findCheckoutSession(sessionId: string): Promise<CheckoutSession | null> {
    const session = await this.#findSession(sessionId);
    if (session?.mode !== 'payment' || session.livemode !== this.#isLive) return null;
    const payment = typeof session.payment_intent === 'string' ? null : session.payment_intent;
    const status = judgeStatus(session, payment);
    return {
      sessionId: session.id,
      status,
      amountCents: session.amount_total ?? 0,
      currency: session.currency ?? '',
      purchaseId: session.client_reference_id,
      accountId: session.metadata?.account_id ?? null,
      reversals: status === 'paid' && payment ? await this.#sumReversals(payment.id) : noReversals,
    };
  }

  async findSessionIdOf({ kind, id }: PaymentSubject): Promise<string | null> {
    if (kind === 'session') return id;
    const page = await this.#ask(() => this.#stripe.checkout.sessions.list({ payment_intent: id, limit: 1 }));
    return page.data[0]?.id ?? null;
  }

  async listNotices(sinceMs: number): Promise<PaymentNotice[]> {
    const notices: PaymentNotice[] = [];
    const created = { gte: Math.floor(sinceMs / 1_000) };
    await this.#ask(async () => {
      notices.length = 0;
      for await (const event of this.#stripe.events.list({ types: [...stripeEventTypes], created, limit: 100 })) {
        notices.push(toPaymentNotice(event, this.#isLive));
      }
    });
    return notices.reverse();
  }

  /**
   * Reads a delivery of the webhook.
   * @param rawBody The bytes as they arrived: the signature is over them, not over what they mean.
   * @returns null when no secret of ours signed them within the last five minutes.
   */
  readNotice(rawBody: Buffer, signature: string): PaymentNotice | null {
    for (const secret of this.parts.settings.webhookSecrets) {
      try {
        return toPaymentNotice(this.#stripe.webhooks.constructEvent(rawBody, signature, secret.reveal()), this.#isLive);
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
      }
    }
    return null;
  }

  // One customer per account, so that Stripe shows one history and keeps one set of cards.
  async #getCustomer(accountId: string): Promise<string> {
    const { customers } = this.parts;
    const known = await customers.findCustomerId(accountId, this.#isLive);
    if (known !== null) return known;
    const customer = await this.#ask(() =>
      this.#stripe.customers.create(
        { metadata: { account_id: accountId } },
        { idempotencyKey: `customer:${accountId}` },
      ),
    );
    return customers.keepCustomerId(accountId, this.#isLive, customer.id);
  }

  async #findSession(sessionId: string): Promise<Stripe.Checkout.Session | null> {
    try {
      return await this.#ask(() => this.#stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent'] }));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  // Lists, since the totals that stand on a charge say nothing of refunds that failed later.
  async #sumReversals(paymentId: string): Promise<PaymentReversals> {
    const ofPayment = { payment_intent: paymentId, limit: 100 };
    const page = { limit: reversalsMax };
    const [refunds, disputes] = await Promise.all([
      this.#ask(() => this.#stripe.refunds.list(ofPayment).autoPagingToArray(page)),
      this.#ask(() => this.#stripe.disputes.list(ofPayment).autoPagingToArray(page)),
    ]);
    return {
      refundedCents: sum(refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled')),
      disputedCents: sum(disputes.filter(isWithdrawn)),
      hasOpenDispute: disputes.some(({ status }) => !closedDisputes.has(status)),
    };
  }

  async #ask<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError) || isMissing(error)) throw error;
      // Only these: Stripe's sentences quote keys and addresses.
      const { type, code, statusCode, requestId } = error;
      this.parts.logger.error('stripe_request_failed', { type, code, statusCode, requestId });
      throw new AppError('service_unavailable', 'The payment service cannot be reached right now. Try again shortly.', {
        retryAfterMs: 5_000,
      });
    }
  }
}

/** Whether a key is for real money. */
export function isLiveKey(secretKey: Secret): boolean {
  return /^[rs]k_live_/.test(secretKey.reveal());
}

// A status that we do not know keeps the account frozen: somebody has to look.
const closedDisputes: ReadonlySet<string> = new Set(['won', 'lost', 'warning_closed', 'prevented']);

// A dispute's movements on our own balance: out when the funds are withdrawn, in again when they are reinstated.
function isWithdrawn(dispute: Stripe.Dispute): boolean {
  return sum(dispute.balance_transactions) < 0;
}

function sum(rows: readonly { readonly amount: number }[]): number {
  return rows.reduce((total, { amount }) => total + amount, 0);
}

// A session whose payment is on its way, by bank debit for instance, is complete and not yet paid.
function judgeStatus(session: Stripe.Checkout.Session, payment: Stripe.PaymentIntent | null) {
  if (session.payment_status === 'paid') return 'paid';
  if (session.status === 'expired') return 'expired';
  const hasFailed = payment?.status === 'requires_payment_method' || payment?.status === 'canceled';
  return session.status === 'complete' && hasFailed ? 'expired' : 'open';
}

function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.statusCode === 404;
}

function toHost(apiBase: string): { host: string; port: string; protocol: 'http' | 'https' } {
  const { hostname, port, protocol } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? '80' : '443'), protocol: isPlain ? 'http' : 'https' };
}
