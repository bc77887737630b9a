import type { SignInProviderSettings } from '../../config/sign-in-settings.js';
import type { Stopwatch } from '../../kernel/clock.js';
import type { AnswerChecks, IdentityProvider, ProvenIdentity } from './identity-provider.js';
import { type Configuration, type ProviderClient, toProviderFault } from './provider-client.js';

const freshMs = 3_600_000;

interface Claims {
  readonly [name: string]: unknown;
}

/** Any provider of OpenID Connect: found by its issuer, asked for a code, and believed by the signature of its ID token. */
export class OpenIdProvider implements IdentityProvider {
  readonly id: string;
  readonly label: string;
  #configuration: Promise<Configuration> | null = null;
  #freshUntilElapsedMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly settings: SignInProviderSettings,
    private readonly client: ProviderClient,
    private readonly clock: Stopwatch,
  ) {
    this.id = settings.id;
    this.label = settings.label;
  }

  async begin(redirectUri: string) {
    try {
      const { scopes } = this.settings;
      return await this.client.ask(await this.#find(), { redirectUri, scopes, hasNonce: true });
    } catch (error) {
      throw toProviderFault(error);
    }
  }

  async prove(answer: URL, checks: AnswerChecks): Promise<ProvenIdentity> {
    try {
      const configuration = await this.#find();
      const tokens = await this.client.exchange(configuration, answer, checks);
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('no ID token');
      const isComplete = typeof claims.email === 'string' || !configuration.serverMetadata().userinfo_endpoint;
      const library = await this.client.load();
      const more: Claims = isComplete
        ? {}
        : await library.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return toIdentity({ ...more, ...claims });
    } catch (error) {
      throw toProviderFault(error);
    }
  }

  #find(): Promise<Configuration> {
    const elapsedMs = this.clock.elapsedMs();
    if (this.#configuration !== null && elapsedMs < this.#freshUntilElapsedMs) return this.#configuration;
    const found = this.#discover();
    this.#configuration = found;
    this.#freshUntilElapsedMs = elapsedMs + freshMs;
    // What failed is asked for again.
    found.catch(() => {
      if (this.#configuration === found) this.#configuration = null;
    });
    return found;
  }

  async #discover(): Promise<Configuration> {
    const library = await this.client.load();
    const { issuer, clientId, clientSecret } = this.settings;
    const byPost = library.ClientSecretPost(clientSecret.reveal());
    const byHeader = library.ClientSecretBasic(clientSecret.reveal());
    const authenticate: typeof byPost = (server, ...rest) =>
      server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true
        ? byPost(server, ...rest)
        : byHeader(server, ...rest);
    return library.discovery(new URL(issuer), clientId, undefined, authenticate, {
      [library.customFetch]: this.client.fetch,
      timeout: this.client.bounds.timeoutMs / 1_000,
      execute: [
        library.enableNonRepudiationChecks,
        // The settings take such an issuer on this machine alone.
        ...(issuer.startsWith('http:') ? [library.allowInsecureRequests] : []),
      ],
    });
  }
}

function toIdentity(claims: Claims): ProvenIdentity {
  const { iss, sub, email, email_verified: verified, name, preferred_username: login } = claims;
  return {
    issuer: String(iss),
    subject: String(sub),
    email: textOf(email),
    // Some send it as a text.
    isEmailVerified: verified === true || verified === 'true',
    name: textOf(name),
    login: textOf(login),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
