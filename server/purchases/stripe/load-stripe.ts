import { createRequire } from 'node:module';
import type Stripe from 'stripe';
import type { StripeSettings } from '../../config/stripe-settings.js';

/** What Stripe's library sends by. */
export type StripeHttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

const require = createRequire(import.meta.url);

/**
 * Stripe's own library. It comes in two hundred files, a tenth of all that a server loads when it starts, so it is loaded by
 * whoever has a key of Stripe's, once.
 */
export function loadStripe(): typeof Stripe {
  return require('stripe') as typeof Stripe;
}

const requestTimeoutMs = 10_000;

/** A client with a bound for each request, which tells Stripe nothing of how it is used. @param httpClient Left out: the library's own. */
export function createStripeClient(
  { secretKey, apiBase }: StripeSettings,
  { retriesMax, httpClient }: { readonly retriesMax: number; readonly httpClient?: StripeHttpClient },
): Stripe {
  return new (loadStripe())(secretKey.reveal(), {
    ...(apiBase === null ? {} : toHost(apiBase)),
    timeout: requestTimeoutMs,
    maxNetworkRetries: retriesMax,
    ...(httpClient && { httpClient }),
    telemetry: false,
  });
}

function toHost(apiBase: string): { host: string; port: string; protocol: 'http' | 'https' } {
  const { hostname, port, protocol } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return { host: hostname, port: port || (isPlain ? '80' : '443'), protocol: isPlain ? 'http' : 'https' };
}
