import type { SignInProviderSettings } from '../../config/sign-in-settings.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import type { OpenAttemptCounter } from '../../kernel/attempt-counter.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import { GithubProvider } from './github-provider.js';
import type { IdentityProvider } from './identity-provider.js';
import { LinkedIdentities, type LinkedIdentitiesParts } from './linked-identities.js';
import { OpenIdProvider } from './open-id-provider.js';
import { ProviderClient } from './provider-client.js';
import { ProviderSignIn, type ProviderSignInParts } from './provider-sign-in.js';

export interface OpenIdentitiesParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly openCounter: OpenAttemptCounter;
  readonly accounts: ProviderSignInParts['accounts'];
  readonly factors: ProviderSignInParts['factors'];
  readonly pendingProofs: ProviderSignInParts['pendingProofs'];
  readonly notices: LinkedIdentitiesParts['notices'];
}

export interface IdentitiesConfig {
  readonly publicUrl: string;
  readonly signInProviders: readonly SignInProviderSettings[];
}

/** Everything about who signs in by another provider. Starts nothing, and asks no provider before somebody signs in by it. */
export function openIdentities(parts: OpenIdentitiesParts, { publicUrl, signInProviders }: IdentitiesConfig) {
  // Each has its own, so that one that hangs takes no room of the others.
  const open = (settings: SignInProviderSettings): IdentityProvider =>
    settings.kind === 'github'
      ? new GithubProvider(settings, new ProviderClient())
      : new OpenIdProvider(settings, new ProviderClient(), parts.clock);
  const providers = new Map(signInProviders.map((settings) => [settings.id, open(settings)]));
  const identities = new LinkedIdentities(parts);
  const providerSignIn = new ProviderSignIn({ ...parts, providers, identities, publicUrl });
  return { identities, providerSignIn };
}
