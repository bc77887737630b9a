import { z } from 'zod';
import { Secret } from '../kernel/secret.js';
import { secret } from '../kernel/settings/secret-setting.js';
import { isWebAddress } from '../kernel/settings/setting-shapes.js';

// `sk_test_` and what follows it, which Stripe gives no length for: 24 in old keys, 99 in new ones.
const keyLengthMin = 18;
const keyLengthMax = 255;

/** The settings of Stripe, each by itself. */
export const stripeShape = {
  STRIPE_SECRET_KEY: secret(
    z
      .string()
      .regex(/^[rs]k_(test|live)_/, {
        error: 'must be a secret or restricted key of Stripe, sk_… or rk_…',
        abort: true,
      })
      .regex(/^\w*$/, {
        error: 'has a character that is in no key of Stripe: take out quotes, spaces and line breaks',
        abort: true,
      })
      .refine((key) => key.length >= keyLengthMin && key.length <= keyLengthMax, {
        error: ({ input }) =>
          `has the wrong length for a key of Stripe: ${String(input).length} characters, where ${keyLengthMin} to ${keyLengthMax} can be right; copy all of it`,
      })
      .optional(),
  ),
  STRIPE_WEBHOOK_SECRET: secret(
    z
      .string()
      .regex(/^whsec_[^\s,]{20,}(,whsec_[^\s,]{20,})*$/, 'must be the signing secret of the webhook, whsec_…')
      .optional(),
  ),
  STRIPE_API_BASE: z
    .string()
    .refine(
      (text) => /^[^/]+\/\/[^/]+\/?$/.test(text) && isWebAddress(text),
      'must be an http(s) address without a path',
    )
    .optional(),
};

export interface StripeSettings {
  readonly secretKey: Secret;
  /** Signing secrets of the webhook, more than one while they are changed; none: no webhook. */
  readonly webhookSecrets: readonly Secret[];
  /** Where a double of Stripe listens; null: Stripe itself. */
  readonly apiBase: string | null;
}

/** As the environment has them, each well formed. */
interface StripeEnvironment {
  readonly STRIPE_SECRET_KEY?: string | undefined;
  readonly STRIPE_WEBHOOK_SECRET?: string | undefined;
  readonly STRIPE_API_BASE?: string | undefined;
}

/** The settings of Stripe; null when no real money is taken. */
export function readStripeSettings(settings: StripeEnvironment): StripeSettings | null {
  if (settings.STRIPE_SECRET_KEY === undefined) return null;
  const webhookSecrets = settings.STRIPE_WEBHOOK_SECRET?.split(',') ?? [];
  return Object.freeze({
    secretKey: new Secret(settings.STRIPE_SECRET_KEY),
    webhookSecrets: webhookSecrets.map((secret) => new Secret(secret)),
    apiBase: settings.STRIPE_API_BASE?.replace(/\/$/, '') ?? null,
  });
}

/** What is wrong with them together, each as one sentence. */
export function findStripeFaults(settings: StripeEnvironment): string[] {
  const key = settings.STRIPE_SECRET_KEY;
  const others = ['STRIPE_WEBHOOK_SECRET', 'STRIPE_API_BASE'] as const;
  if (key === undefined) {
    return others.filter((name) => settings[name] !== undefined).map((name) => `${name} needs STRIPE_SECRET_KEY`);
  }
  const isLive = /^[rs]k_live_/.test(key);
  return isLive && settings.STRIPE_API_BASE !== undefined
    ? ['STRIPE_API_BASE is for a double of Stripe, which must never be sent a live STRIPE_SECRET_KEY']
    : [];
}
