/** What a provider told of the tokens of one call. */
export interface ToldTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of the prompt, what was read from a cache; of the answer, what was reasoned; null: nobody told. */
  readonly cachedTokens: number | null;
  readonly reasoningTokens: number | null;
}

/** Parts of 100, with one decimal, of the calls whose provider told them; null: none did. */
export interface TokenShares {
  /** Of the tokens in, those that came from the provider's cache. */
  readonly cachedPercent: number | null;
  /** Of the calls, those that had any token from it. */
  readonly cacheHitPercent: number | null;
  /** Of the tokens out, those that were reasoned. */
  readonly reasoningPercent: number | null;
}

export function summariseShares(calls: readonly ToldTokens[]): TokenShares {
  const [cached, hits, reasoned] = [new Share(), new Share(), new Share()];
  for (const { promptTokens, completionTokens, cachedTokens, reasoningTokens } of calls) {
    if (cachedTokens !== null) cached.add(cachedTokens, promptTokens);
    if (cachedTokens !== null) hits.add(cachedTokens > 0 ? 1 : 0, 1);
    if (reasoningTokens !== null) reasoned.add(reasoningTokens, completionTokens);
  }
  return { cachedPercent: cached.percent, cacheHitPercent: hits.percent, reasoningPercent: reasoned.percent };
}

class Share {
  #part = 0;
  #whole = 0;

  add(part: number, whole: number): void {
    this.#part += part;
    this.#whole += whole;
  }

  get percent(): number | null {
    return this.#whole === 0 ? null : Math.round((this.#part * 1_000) / this.#whole) / 10;
  }
}
