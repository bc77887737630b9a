import { isJsonObject } from '../kernel/json-body.js';
import type { CompletionUsage } from './chat-types.js';

import type { TokenUsage } from './provider-adapter.js';

/** More than any model can read or write in one call; a larger count is a fault of the provider. */
export const tokensPerCallMax = 10_000_000;

/**
 * Reads the `usage` object of an OpenAI-compatible provider. Counts become inclusive. A total above the sum of prompt and completion is
 * output only where reasoning is known to be left out of `completion_tokens`, or where the counts say so themselves: together with
 * `reasoning_tokens` they are the total, as many gateways to Gemini write it. Else the plain counts stand.
 *
 * @param isReasoningBeside Whether this provider leaves reasoning out of `completion_tokens`, and only the total has it for certain.
 * @returns null when a count is missing or makes no sense (negative, a fraction, a text, above `tokensPerCallMax`); never
 *   a guess. An odd detail, such as a cached count, is only left out: it does not move the bill. So is an odd total, unless reasoning
 *   may stand beside the output, which nothing else would tell.
 */
export function readTokenUsage(raw: unknown, isReasoningBeside = false): TokenUsage | null {
  if (!isJsonObject(raw)) return null;
  const inputTokens = findCount(raw.prompt_tokens);
  const completionTokens = findCount(raw.completion_tokens);
  if (inputTokens === null || completionTokens === null) return null;

  const promptDetails = isJsonObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {};
  const completionDetails = isJsonObject(raw.completion_tokens_details) ? raw.completion_tokens_details : {};
  const reasoningTokens = findCount(completionDetails.reasoning_tokens) ?? 0;
  const totalTokens = findTotal(raw.total_tokens);
  if (totalTokens === null && (isReasoningBeside || reasoningTokens > 0)) return null;
  const isBeside = isReasoningBeside || totalTokens === inputTokens + completionTokens + reasoningTokens;
  const outputTokens = isBeside ? Math.max(completionTokens, (totalTokens ?? 0) - inputTokens) : completionTokens;
  if (outputTokens > tokensPerCallMax) return null;
  return {
    inputTokens,
    cachedInputTokens: findPart(inputTokens, [
      promptDetails.cached_tokens,
      raw.prompt_cache_hit_tokens, // DeepSeek
      raw.cached_tokens, // Moonshot
      raw.num_cached_tokens, // Mistral
    ]),
    cacheWriteInputTokens: findPart(inputTokens, [promptDetails.cache_write_tokens]),
    outputTokens,
    reasoningTokens: findPart(outputTokens, [completionDetails.reasoning_tokens]),
  };
}

/**
 * Whether usage can be billed as reported. Zeros are believed only when nothing was answered: text that was made from no
 * prompt, or out of no tokens, means that the provider did not count.
 */
export function isCredibleUsage(usage: TokenUsage, { hasOutput }: { readonly hasOutput: boolean }): boolean {
  return !hasOutput || (usage.inputTokens > 0 && usage.outputTokens > 0);
}

/**
 * Whether a further count of one answer leaves out what was counted before, and so is no count of it. Counts of one answer only grow, in
 * every dialect. Zeros, or less output than before, are an end that others have written, say, or a gateway's own count of the visible words.
 *
 * @param known The count before; null: there was none.
 * @param isKnownSure Whether the answer can have so much, and that was not said before any output: else it may have been a guess.
 */
export function takesBack(usage: TokenUsage, known: TokenUsage | null, isKnownSure: boolean): boolean {
  if (known === null || !isCredibleUsage(known, { hasOutput: true })) return false;
  return !isCredibleUsage(usage, { hasOutput: true }) || (isKnownSure && usage.outputTokens < known.outputTokens);
}

/** Writes usage the way OpenAI's clients read it. What a provider did not say is 0. */
export function toCompletionUsage(usage: TokenUsage): CompletionUsage {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInputTokens ?? 0,
      cache_write_tokens: usage.cacheWriteInputTokens ?? 0,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  };
}

function findPart(wholeTokens: number, spellings: readonly unknown[]): number | null {
  for (const spelling of spellings) {
    const count = findCount(spelling);
    if (count !== null) return Math.min(count, wholeTokens);
  }
  return null;
}

/** The total of a call as its provider wrote it, 0 where it wrote none; null when it makes no sense. */
function findTotal(value: unknown): number | null {
  return value === undefined || value === null ? 0 : findCount(value, 2 * tokensPerCallMax);
}

/** A count of tokens as a provider wrote it; null when it makes no sense. */
export function findCount(value: unknown, max = tokensPerCallMax): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max ? value : null;
}
