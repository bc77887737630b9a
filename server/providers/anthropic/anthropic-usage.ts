import { isJsonObject } from '../../kernel/json-body.js';

import type { TokenUsage } from '../provider-adapter.js';
import { findCount, tokensPerCallMax } from '../token-usage.js';

const countNames = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
  'thinking_tokens',
] as const;
/** null: what was reported made no sense. */
type Counts = Partial<Record<(typeof countNames)[number], number | null>>;

/**
 * Usage as it comes in over a stream: each report is cumulative and may leave counts out, so it sets what it says and keeps the
 * rest. Anthropic's `input_tokens` are those beside the cache; ours include it.
 */
export class AnthropicUsage {
  #counts: Counts = {};

  /**
   * Takes the `usage` of an answer or of an event.
   * @returns Whether it counted the output: else what is known of that is as old as the report before.
   */
  report(raw: unknown): boolean {
    if (!isJsonObject(raw)) return false;
    const counts = this.#read(raw);
    // Where a call ran in several rounds, the counts beside the list leave some of them out; they never count what it does not.
    const rounds = Array.isArray(raw.iterations) ? this.#sum(raw.iterations) : {};
    for (const name of countNames) {
      const [beside, inRounds] = [counts[name], rounds[name]];
      if (inRounds === undefined) continue;
      counts[name] = beside === null || inRounds === null ? null : Math.max(beside ?? 0, inRounds);
    }
    this.#counts = { ...this.#counts, ...counts };
    return typeof counts.output_tokens === 'number';
  }

  /**
   * null while a count that is billed is missing, or as long as what was last said of it makes no sense: never a guess. Those of the
   * cache are billed, since no total has them. Thinking is in the output already, so that an odd count of it is only left out.
   */
  get total(): TokenUsage | null {
    const {
      input_tokens: input,
      output_tokens: outputTokens,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: read,
      thinking_tokens: thinking,
    } = this.#counts;
    if (typeof input !== 'number' || typeof outputTokens !== 'number' || written === null || read === null) return null;
    const inputTokens = input + (written ?? 0) + (read ?? 0);
    if (inputTokens > tokensPerCallMax || outputTokens > tokensPerCallMax) return null;
    return {
      inputTokens,
      cachedInputTokens: read ?? null,
      cacheWriteInputTokens: written ?? null,
      outputTokens,
      reasoningTokens: typeof thinking !== 'number' ? null : Math.min(thinking, outputTokens),
    };
  }

  #read(raw: Record<string, unknown>): Counts {
    const details = isJsonObject(raw.output_tokens_details) ? raw.output_tokens_details : {};
    const values = { ...raw, thinking_tokens: details.thinking_tokens };
    const counts: Counts = {};
    for (const name of countNames) {
      const value: unknown = values[name as keyof typeof values];
      if (value === undefined || value === null) continue;
      counts[name] = findCount(value);
    }
    return counts;
  }

  // Other kinds of rounds are not a part of the answer, such as what an adviser read and wrote.
  #sum(rounds: readonly unknown[]): Counts {
    const total: Counts = {};
    for (const round of rounds.filter(isJsonObject)) {
      if (round.type !== 'message' && round.type !== 'compaction') continue;
      for (const [name, count] of Object.entries(this.#read(round)) as [keyof Counts, number | null][]) {
        const before = total[name];
        total[name] = before === null || count === null ? null : (before ?? 0) + count;
      }
    }
    return total;
  }
}
