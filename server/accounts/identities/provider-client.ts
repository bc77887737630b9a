import type * as OpenIdClient from 'openid-client';
import { createBoundedFetch, type FetchBounds, providerBounds } from './bounded-fetch.js';
import { type AnswerChecks, type ProviderFault, ProviderFaultError } from './identity-provider.js';

type Library = typeof OpenIdClient;
export type Configuration = OpenIdClient.Configuration;

/** How a request for a code is made beside what every one has. */
interface Asking {
  readonly redirectUri: string;
  readonly scopes: string;
  readonly hasNonce: boolean;
}

/** What all providers share: the library, loaded when somebody first signs in by one, and its errors in our words. */
export class ProviderClient {
  readonly fetch: ReturnType<typeof createBoundedFetch>;

  constructor(readonly bounds: FetchBounds = providerBounds) {
    this.fetch = createBoundedFetch(bounds);
  }

  load(): Promise<Library> {
    return import('openid-client');
  }

  /** The address that asks for a code, with PKCE, state and nonce of its own. */
  async ask(configuration: Configuration, { redirectUri, scopes, hasNonce }: Asking) {
    const library = await this.load();
    const checks: AnswerChecks = {
      verifier: library.randomPKCECodeVerifier(),
      state: library.randomState(),
      nonce: hasNonce ? library.randomNonce() : null,
    };
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: scopes,
      state: checks.state,
      code_challenge: await library.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
      ...(checks.nonce === null ? {} : { nonce: checks.nonce }),
    });
    return { url: url.href, checks };
  }

  /** Takes the code of an answer to the provider. @throws as the library does. */
  async exchange(configuration: Configuration, answer: URL, { verifier, state, nonce }: AnswerChecks) {
    const library = await this.load();
    return library.authorizationCodeGrant(configuration, answer, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      ...(nonce === null ? { idTokenExpected: false } : { expectedNonce: nonce, idTokenExpected: true }),
    });
  }
}

/** Tells who is at fault. The answers that libraries hang on their errors hold tokens, so no more than a code goes on. */
export function toProviderFault(error: unknown): ProviderFaultError {
  if (error instanceof ProviderFaultError) return error;
  const { cause, code, error: answered, ...other } = (error ?? {}) as Partial<Record<string, unknown>>;
  // Of what does not conform the library gives the whole answer as the cause.
  const because = cause as { readonly status?: unknown; readonly code?: unknown } | null | undefined;
  const status = other.status ?? because?.status;
  const isDeclined = answered === 'access_denied';
  const isConversation = isDeclined || typeof answered === 'string';
  // The library names what it has judged; what has no such code is of the network, or a bound of ours.
  const isJudged = isConversation || (typeof code === 'string' && /^OAUTH_(?!TIMEOUT|ABORT)/.test(code));
  const isServerFault = typeof status === 'number' && status >= 500;
  const fault: ProviderFault = isDeclined ? 'declined' : isJudged && !isServerFault ? 'refused' : 'away';
  const name = code ?? because?.code ?? (error as Partial<Error>)?.name;
  const reason = new Error(String(isConversation ? answered : name).slice(0, 100));
  return new ProviderFaultError(fault, { cause: reason });
}
