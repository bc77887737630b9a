import { createRequire } from 'node:module';
import type Stripe from 'stripe';

const require = createRequire(import.meta.url);

/**
 * Stripe's own library. It comes in two hundred files, a tenth of all that a server loads when it starts, so it is loaded by
 * whoever has a key of Stripe's, once.
 */
export function loadStripe(): typeof Stripe {
  return require('stripe') as typeof Stripe;
}
