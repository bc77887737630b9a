import type { ChatCompletionChunk } from '../../providers/chat-types.js';
import type { TokenCounter } from './token-counter.js';
import type { UsageMeter } from './usage-meter.js';

// Tokenizers differ by as much as a third, so half as much again as the cap is let pass; the count is asked for seldom.
const marginTokensMin = 64;
const marginShare = 1 / 2;
const bytesPerTokenAtFirst = 3;
const growthBetweenCounts = 1.25;
// Where nobody can count in time: no text that a model writes has longer tokens on average.
const bytesPerTokenMax = 16;

type MeterToGuard = Pick<
  UsageMeter,
  'outputTokensMax' | 'outputBytes' | 'reportedOutputTokens' | 'runningChoices' | 'countOutput'
>;

/**
 * Finds out when a stream goes on past the output cap that its provider was sent: what comes then is not paid for by the hold.
 * Nearly always it is one comparison; only an answer near its cap has its tokens counted, and that not on this thread.
 */
export class OutputCapGuard {
  readonly #tokensMax: number;
  #countFromBytes: number;

  constructor(
    private readonly meter: MeterToGuard,
    private readonly counter: Pick<TokenCounter, 'count'>,
  ) {
    const cap = meter.outputTokensMax;
    this.#tokensMax = cap + Math.max(marginTokensMin, Math.ceil(cap * marginShare));
    this.#countFromBytes = this.#tokensMax * bytesPerTokenAtFirst;
  }

  /** Whether it is time to ask `isPast`; never for an answer that has come to its end. */
  get isDue(): boolean {
    const { outputBytes, reportedOutputTokens } = this.meter;
    const isLong = outputBytes > this.#countFromBytes || reportedOutputTokens > this.#tokensMax;
    return isLong && this.meter.runningChoices.length > 0;
  }

  /** Whether the answer so far is longer than its cap and a margin. Never throws. */
  async isPast(): Promise<boolean> {
    const { outputBytes, reportedOutputTokens } = this.meter;
    if (reportedOutputTokens > this.#tokensMax) return true;
    this.#countFromBytes = outputBytes * growthBetweenCounts;
    const tokens = (await this.meter.countOutput(this.counter)) ?? outputBytes / bytesPerTokenMax;
    return tokens > this.#tokensMax;
  }
}

/** The last piece of an answer that was cut at its cap: each of these choices ends as one does that obeys it. */
export function toLengthEnd(lastChunk: ChatCompletionChunk, choices: readonly number[]): ChatCompletionChunk {
  const { id, object, created, model } = lastChunk;
  const ended = choices.map((index) => ({ index, delta: {}, logprobs: null, finish_reason: 'length' as const }));
  return { id, object, created, model, choices: ended };
}
