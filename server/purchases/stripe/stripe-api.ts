import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import type { StripeSettings } from '../../config/stripe-settings.js';
import { AppError } from '../../kernel/app-error.js';
import { assertInvariant } from '../../kernel/assert.js';
import type { Stopwatch } from '../../kernel/clock.js';
import { RunningWork } from '../../kernel/jobs/running-work.js';
import type { Logger } from '../../kernel/logger.js';
import type { Secret } from '../../kernel/secret.js';
import { AskedLately } from './asked-lately.js';
import { createStripeClient, loadStripe } from './load-stripe.js';
import type { StripeCustomers } from './stripe-customers.js';

export const stripeGatewayName = 'stripe';

/** Of an account of Stripe's, which lets 25 to 100 a second through. Where it is silent, as many of the 256 places of GraphQL wait, and others are free. */
const requestsAtOnceMax = 64;

export interface StripeApiParts {
  readonly settings: StripeSettings;
  readonly customers: StripeCustomers;
  /** What tells this installation from others that may sell by the same account of Stripe's. */
  getInstallationId(): Promise<string>;
  readonly clock: Stopwatch;
  readonly logger: Logger;
}

/** The one connection to Stripe, and what every question to it has in common. */
export class StripeApi {
  readonly client: Stripe;
  readonly isLive: boolean;
  /** Tells one key from another, and is of no use to whoever reads it: a part of a hash of what nobody can guess. */
  readonly keyMark: string;
  readonly #asking = new RunningWork();
  readonly #askedLately: AskedLately;

  /** @throws Error for a live key together with a double: a key for real money goes to Stripe and nobody else. */
  constructor(private readonly parts: StripeApiParts) {
    const { secretKey, apiBase } = parts.settings;
    this.isLive = isLiveKey(secretKey);
    this.keyMark = createHash('sha256').update(secretKey.reveal()).digest('hex').slice(0, 16);
    assertInvariant(apiBase === null || !this.isLive, 'a live key is only ever sent to Stripe');
    this.#askedLately = new AskedLately(parts.clock);
    this.client = createStripeClient(parts.settings, {
      retriesMax: 2,
      httpClient: this.#askedLately.createHttpClient(),
    });
  }

  /**
   * @throws AppError `service_unavailable` for whatever Stripe says no to, but for what it does not have, and unasked where 64 are under way.
   *   What was wrong with a request of ours is told to the operator, in the log.
   */
  async ask<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    if (this.#asking.count >= requestsAtOnceMax) throw createBusy();
    try {
      return await this.#asking.during(() => this.#askedLately.during(request));
    } catch (error) {
      if (!(error instanceof loadStripe().errors.StripeError) || isMissing(error)) throw error;
      const { type, code, param, statusCode, requestId } = error;
      if (isRefusal(error)) {
        const reason = withoutValues(error.message);
        this.parts.logger.error('stripe_request_refused', { type, code, param, statusCode, requestId, reason });
        throw new AppError(
          'service_unavailable',
          'The payment service does not accept what this server asks of it. Nothing was charged. Ask the operator to look into the log.',
        );
      }
      this.parts.logger.error('stripe_request_failed', { type, code, statusCode, requestId });
      throw new AppError('service_unavailable', 'The payment service cannot be reached right now. Try again shortly.', {
        retryAfterMs: 5_000,
      });
    }
  }

  /**
   * Like `ask`; null for what Stripe does not have, or where something that the request names is not there, such as the payment whose refunds
   * are asked for: of that Stripe says 400 as well as 404.
   */
  find<Answer>(request: () => Promise<Answer>): Promise<Answer | null> {
    return this.ask(async () => {
      try {
        return await request();
      } catch (error) {
        if (isMissing(error) || isNamedMissing(error)) return null;
        throw error;
      }
    });
  }

  /**
   * Like `ask`, for a request that names the account's customer. One that Stripe does not have any more (it was deleted there, or the
   * key is of another account of Stripe's) is replaced, and it is asked once more.
   * @param request An idempotency key in it has to name the customer: Stripe replays its answer about the one that is gone.
   */
  async askForCustomer<Answer>(accountId: string, request: (customer: string) => Promise<Answer>): Promise<Answer> {
    const customer = await this.getCustomer(accountId);
    return this.ask(async () => {
      try {
        return await request(customer);
      } catch (error) {
        if (!isCustomerMissing(error)) throw error;
        return await request(await this.#replaceCustomer(accountId, customer));
      }
    });
  }

  /** What stands on everything that is made at Stripe: whose it is, and what else is known of it. */
  async makeMetadata<Facts extends object>(facts: Facts): Promise<Facts & { installation_id: string }> {
    return { ...facts, installation_id: await this.parts.getInstallationId() };
  }

  /**
   * Makes something at Stripe that names its installation. Where Stripe knows the key with other contents, a release before has asked
   * by it, without the installation, and it is asked so once more: what that one made is the answer, and nothing is made twice.
   * @param request Has an idempotency key.
   */
  async makeOnce<Facts extends object, Answer>(
    facts: Facts,
    request: (metadata: Facts & { installation_id?: string }) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await request(await this.makeMetadata(facts));
    } catch (error) {
      if (!(error instanceof loadStripe().errors.StripeIdempotencyError)) throw error;
      return await request(facts);
    }
  }

  /** One customer per account, so that Stripe shows one history and keeps one set of cards. */
  async getCustomer(accountId: string): Promise<string> {
    const { customers } = this.parts;
    const known = await customers.findCustomerId(accountId, this.isLive);
    if (known !== null) return known;
    const customerId = await this.#createCustomer(accountId, `customer:${accountId}`);
    return customers.keepCustomerId(accountId, this.isLive, customerId);
  }

  async #replaceCustomer(accountId: string, goneId: string): Promise<string> {
    const { customers, logger } = this.parts;
    const customerId = await this.#createCustomer(accountId, `customer:${accountId}:${goneId}`);
    logger.warn('stripe_customer_replaced', { accountId, goneId, customerId });
    return customers.replaceCustomerId({ accountId, isLive: this.isLive, goneId }, customerId);
  }

  // Requests of one account at once make one: Stripe answers the same key with the same customer for a day.
  async #createCustomer(accountId: string, idempotencyKey: string): Promise<string> {
    const metadata = await this.makeMetadata({ account_id: accountId });
    // Stripe refuses a key that comes again with another content: the release before asks by it without the installation.
    const options = { idempotencyKey: `${idempotencyKey}:${metadata.installation_id}` };
    return (await this.ask(() => this.client.customers.create({ metadata }, options))).id;
  }
}

// Nothing was asked, so whatever it was for can be begun again.
function createBusy(): AppError {
  const words = 'The payment service has as many questions of this server as it can. Try again shortly.';
  return new AppError('service_unavailable', words, {
    retryAfterMs: 5_000,
    innerReason: 'too many requests to Stripe are under way',
  });
}

/** Whether a key is for real money. */
export function isLiveKey(secretKey: Secret): boolean {
  return /^[rs]k_live_/.test(secretKey.reveal());
}

// What would be refused again in the same words: a setting of ours or of the account at Stripe is at fault. Of a conflict or
// of too many requests, waiting is the remedy.
function isRefusal({ statusCode }: { readonly statusCode?: number | undefined }): boolean {
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 && statusCode !== 409 && statusCode !== 429;
}

// Stripe's sentences quote keys, addresses and what was sent.
function withoutValues(message: string): string {
  return message
    .slice(0, 500)
    .replaceAll(/\S*_(test|live)_\S*|\bwhsec_\S*|\S+@\S+|\w+:\/\/\S+|\S{25,}/g, '…')
    .replaceAll(/(["'`])[^"'`]*\1/g, '…');
}

function isCustomerMissing(error: unknown): boolean {
  return isNamedMissing(error) && error.param === 'customer';
}

function isNamedMissing(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof loadStripe().errors.StripeError && error.code === 'resource_missing';
}

export function isMissing(error: unknown): boolean {
  return error instanceof loadStripe().errors.StripeError && error.statusCode === 404;
}
