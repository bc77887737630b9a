import type { TokenUsage, UpstreamEvent } from '../../providers/provider-adapter.js';
import { takesBack } from '../../providers/token-usage.js';

/** What the provider of one answer has counted so far, and of how much of it. */
export class LastReport {
  #usage: TokenUsage | null = null;
  #isStale = false;
  #isOfNextChunk = false;
  /** Whether it came before any output, as a first guess may. */
  #isEarly = false;
  #isGuess = false;
  #hasUnasked = false;

  /** True or not; null: nothing. */
  get usage(): TokenUsage | null {
    return this.#usage;
  }

  /** Whether output came after it, which so is not in it. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Whether it stood before a piece that ends nothing, and no later one has confirmed it. */
  get isGuess(): boolean {
    return this.#isGuess;
  }

  /** Whether its provider made more choices than were asked for, so that it is of more than the answer. */
  get hasUnasked(): boolean {
    return this.#hasUnasked;
  }

  /** The output that it counts of more choices than were asked for: what was asked for has no more; infinity where nothing says so. */
  get outputTokensOfMore(): number {
    if (!this.#hasUnasked || this.#isStale) return Number.POSITIVE_INFINITY;
    return this.#usage?.outputTokens || Number.POSITIVE_INFINITY;
  }

  noteUnasked(): void {
    this.#hasUnasked = true;
  }

  /**
   * Takes a further count, unless it leaves out what was counted before.
   * @param isKnownBelieved Whether the answer can have what was counted before.
   */
  note(
    { usage, isOfNextChunk }: Extract<UpstreamEvent, { type: 'usage' }>,
    { hasOutput, isKnownBelieved }: { readonly hasOutput: boolean; readonly isKnownBelieved: boolean },
  ): void {
    this.#isOfNextChunk = false;
    if (takesBack(usage, this.#usage, !this.#isEarly && isKnownBelieved)) return;
    this.#usage = usage;
    this.#isStale = false;
    this.#isGuess = false;
    this.#isOfNextChunk = isOfNextChunk === true;
    this.#isEarly = !hasOutput && !this.#isOfNextChunk;
  }

  /** Notes a piece of the answer: whether it brought output, and whether a choice has ended. */
  noteChunk(hasGrown: boolean, hasEnded: boolean): void {
    if (hasGrown && !this.#isOfNextChunk) this.#isStale = true;
    if (!hasEnded) this.#isGuess = true;
    this.#isOfNextChunk = false;
  }
}
