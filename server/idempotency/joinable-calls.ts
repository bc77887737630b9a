/** Has the answer of a running call kept for a retry, also while its first caller is still there. */
type Offer = () => Promise<void>;

/**
 * The plain calls that run in this process, by key and body: a retry of their client waits for them instead of becoming one more
 * call. Of several alike, the last one.
 */
export class JoinableCalls {
  // Two levels, so that a long body is neither copied nor hashed for a call that nobody joins.
  readonly #byKey = new Map<string, Map<string, Offer>>();

  /** @returns what is to be called when nobody can join any more. */
  enter(apiKeyId: string, body: string, offer: Offer): () => void {
    const calls = this.#byKey.get(apiKeyId) ?? new Map<string, Offer>();
    this.#byKey.set(apiKeyId, calls);
    calls.set(body, offer);
    return () => {
      if (calls.get(body) === offer) calls.delete(body);
      if (calls.size === 0 && this.#byKey.get(apiKeyId) === calls) this.#byKey.delete(apiKeyId);
    };
  }

  find(apiKeyId: string, body: string): Offer | null {
    return this.#byKey.get(apiKeyId)?.get(body) ?? null;
  }
}
