import type { Config } from './config.js';

/** A dollar's worth: a new account of a server that has the demo alone can make its first call at once. */
const demoGiftCredits = 1_000;

interface GiftSettings {
  readonly SIGNUP_CREDITS?: number | undefined;
  readonly NODE_ENV: 'production' | 'development' | 'test';
  readonly DEMO_PROVIDER?: 'on' | 'off' | undefined;
  readonly STRIPE_SECRET_KEY?: string | undefined;
}

/** The credits that a new account starts with. Where anything costs money, or may, somebody has to say so: the default is none there. */
export function chooseGiftCredits(
  { SIGNUP_CREDITS, NODE_ENV, DEMO_PROVIDER, STRIPE_SECRET_KEY }: GiftSettings,
  { providers, tollgateFile }: Pick<Config, 'providers' | 'tollgateFile'>,
): number {
  if (SIGNUP_CREDITS !== undefined) return SIGNUP_CREDITS;
  const isDemoAlone = Object.keys(providers).length === 0 && tollgateFile === null;
  const isTryOut = NODE_ENV !== 'production' && DEMO_PROVIDER !== 'off' && STRIPE_SECRET_KEY === undefined;
  return isDemoAlone && isTryOut ? demoGiftCredits : 0;
}
