/** Who somebody is, by the word of a provider. */
export interface ProvenIdentity {
  readonly issuer: string;
  /** Who it is at the issuer, for ever. */
  readonly subject: string;
  /** null: the provider does not say. */
  readonly email: string | null;
  /** Whether the provider has found that they read mail there. */
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  /** What they are known by there, such as a user name. */
  readonly login: string | null;
}

/** What an answer of a provider is compared with. */
export interface AnswerChecks {
  /** Of PKCE: known to nobody but the browser that began. */
  readonly verifier: string;
  readonly state: string;
  /** null: the provider's protocol has none. */
  readonly nonce: string | null;
}

/** A provider by which people sign in. Every wait for it ends within seconds, and nothing of it is read beyond a bound. */
export interface IdentityProvider {
  readonly id: string;
  readonly label: string;
  /** @returns where to send the browser, and what its answer is compared with. @throws ProviderFaultError */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly checks: AnswerChecks }>;
  /** @param answer The address to which the provider has sent the browser back. @throws ProviderFaultError */
  prove(answer: URL, checks: AnswerChecks): Promise<ProvenIdentity>;
}

/**
 * Why a provider proved nothing: `declined` by the person; `away`: it gave no answer in time, or one that is too large; `refused`:
 * its answer is not to be believed; `over`: the browser has begun nothing that this could be the answer to.
 */
export type ProviderFault = 'declined' | 'away' | 'refused' | 'over';

export class ProviderFaultError extends Error {
  override readonly name = 'ProviderFaultError';

  constructor(
    readonly fault: ProviderFault,
    options?: ErrorOptions,
  ) {
    super(`The sign-in at the provider came to nothing: ${fault}.`, options);
  }
}
