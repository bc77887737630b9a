import type { StripeSettings } from '../../config/stripe-settings.js';
import { createStripeClient } from './load-stripe.js';

/**
 * Asks Stripe a question that changes nothing.
 * @returns whether the key takes real money.
 * @throws Error in Stripe's own words, which name no secret, when it does not let the key in or cannot be reached.
 */
export async function checkStripe(settings: StripeSettings): Promise<{ readonly isLive: boolean }> {
  const { livemode } = await createStripeClient(settings, { retriesMax: 0 }).balance.retrieve();
  return { isLive: livemode };
}
