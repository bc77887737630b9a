import type Stripe from 'stripe';
import { assertInvariant } from '../../kernel/assert.js';
import type { Logger } from '../../kernel/logger.js';
import type { CardCharge, CardGateway, CardSetup, CardSetupRequest, SavedCard } from '../card-gateway.js';
import { loadStripe } from './load-stripe.js';
import { type StripeApi, stripeGatewayName } from './stripe-api.js';
import { isUnderWay } from './stripe-payment.js';

/** Stands on the payments that we make by a saved card, to tell them from those of a checkout. */
export const autoTopUpKind = 'auto_top_up';

/** Nobody has more payments than this since a charge that may still be open. */
const paymentsLookedAtMax = 1_000;
const cardsLookedAtMax = 1_000;

/** Cards that Stripe keeps, and payments by them while their owner is away. */
export class StripeCards implements CardGateway {
  readonly name = stripeGatewayName;
  readonly #stripe: Stripe;

  constructor(
    private readonly api: StripeApi,
    private readonly logger: Logger,
  ) {
    this.#stripe = api.client;
  }

  async startCardSetup(input: CardSetupRequest): Promise<{ url: string }> {
    const metadata = await this.api.makeMetadata({ account_id: input.accountId, person_id: input.personId });
    const session = await this.api.askForCustomer(input.accountId, (customer) =>
      this.#stripe.checkout.sessions.create({
        mode: 'setup',
        customer,
        allowed_payment_method_types: ['card'],
        metadata,
        setup_intent_data: { metadata },
        success_url: `${input.returnUrl}?card={CHECKOUT_SESSION_ID}`,
        cancel_url: input.cancelUrl,
      }),
    );
    assertInvariant(session.url !== null, 'Stripe gives a new checkout session an address');
    return { url: session.url };
  }

  async findCardSetup(setupId: string): Promise<CardSetup | null> {
    const expand = ['setup_intent.payment_method'];
    const session = await this.api.find(() => this.#stripe.checkout.sessions.retrieve(setupId, { expand }));
    if (session?.mode !== 'setup' || session.livemode !== this.api.isLive) return null;
    const setup = typeof session.setup_intent === 'string' ? null : session.setup_intent;
    const method = typeof setup?.payment_method === 'string' ? null : (setup?.payment_method ?? null);
    return {
      accountId: session.metadata?.account_id ?? null,
      personId: session.metadata?.person_id ?? null,
      card: setup?.status === 'succeeded' && method ? toSavedCard(method) : null,
      begunAtMs: session.created * 1_000,
    };
  }

  async chargeSavedCard(charge: CardCharge): Promise<{ paymentId: string } | null> {
    // One that is gone took the card with it, so another in its place would be of no use here.
    const customer = await this.api.getCustomer(charge.accountId);
    const facts = { purchase_id: charge.purchaseId, account_id: charge.accountId, kind: autoTopUpKind };
    return this.api.ask(async () => {
      try {
        const payment = await this.api.makeOnce(facts, (metadata) =>
          this.#stripe.paymentIntents.create(
            {
              amount: charge.amountCents,
              currency: charge.currency,
              customer,
              payment_method: charge.cardId,
              off_session: true,
              confirm: true,
              description: charge.title,
              metadata,
            },
            { idempotencyKey: `top-up:${charge.purchaseId}` },
          ),
        );
        if (!isUnderWay(payment)) await this.#cancel(payment.id);
        return { paymentId: payment.id };
      } catch (error) {
        return await this.#readRefusal(error);
      }
    });
  }

  // Stripe's list of a customer is up to date at once; its search is not.
  async findCharge({ purchaseId, accountId }: Pick<CardCharge, 'purchaseId' | 'accountId'>) {
    const customer = await this.api.getCustomer(accountId);
    const payments = await this.api.find(() =>
      this.#stripe.paymentIntents.list({ customer, limit: 100 }).autoPagingToArray({ limit: paymentsLookedAtMax }),
    );
    const isCharge = ({ metadata }: Stripe.PaymentIntent) =>
      metadata.kind === autoTopUpKind && metadata.purchase_id === purchaseId;
    const payment = payments?.find(isCharge);
    return payment ? { paymentId: payment.id } : null;
  }

  async forgetCard(cardId: string): Promise<void> {
    await this.api.find(async () => {
      try {
        await this.#stripe.paymentMethods.detach(cardId);
      } catch (error) {
        // Stripe keeps it for nobody: it was detached before, or its customer is gone.
        if (!(error instanceof loadStripe().errors.StripeInvalidRequestError) || error.statusCode !== 400) throw error;
        this.logger.info('saved_card_not_kept', { code: error.code, requestId: error.requestId });
      }
    });
  }

  // Of every type: on its page Stripe shows them all.
  async listCardIds(accountId: string): Promise<readonly string[]> {
    const methods = await this.api.askForCustomer(accountId, (customer) =>
      this.#stripe.paymentMethods.list({ customer, limit: 100 }).autoPagingToArray({ limit: cardsLookedAtMax }),
    );
    return methods.map(({ id }) => id);
  }

  async openBillingPortal(accountId: string, returnUrl: string): Promise<string> {
    const session = await this.api.askForCustomer(accountId, (customer) =>
      this.#stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }),
    );
    return session.url;
  }

  async #readRefusal(error: unknown): Promise<{ paymentId: string } | null> {
    if (error instanceof loadStripe().errors.StripeCardError && error.payment_intent) {
      await this.#cancel(error.payment_intent.id);
      return { paymentId: error.payment_intent.id };
    }
    // The card was taken away from the customer at Stripe, or with it the customer.
    const isCardGone =
      error instanceof loadStripe().errors.StripeInvalidRequestError &&
      (error.param === 'payment_method' || error.param === 'customer' || error.code === 'resource_missing');
    if (isCardGone) {
      const { code, param, requestId } = error;
      this.logger.warn('saved_card_refused', { code, param, requestId });
      return null;
    }
    throw error;
  }

  // A payment that was declined, or waits for somebody, must not be taken later, when its purchase counts as over. Should it be all the same, its
  // event brings the credits.
  async #cancel(paymentId: string): Promise<void> {
    try {
      await this.#stripe.paymentIntents.cancel(paymentId);
    } catch (error) {
      this.logger.warn('declined_payment_not_canceled', { paymentId, code: (error as { code?: string }).code });
    }
  }
}

function toSavedCard({ id, card }: Stripe.PaymentMethod): SavedCard | null {
  if (!card) return null;
  const { brand, last4, exp_month: expiryMonth, exp_year: expiryYear } = card;
  return { cardId: id, brand, last4, expiryMonth, expiryYear };
}
