import type { EstimateParts } from '../../ledger/ledger-types.js';
import type { TokenUsage } from '../../providers/provider-adapter.js';
import { noTokens } from './metered-usage.js';

/** What was held for a call, and what is known of its use beside an estimate. */
export interface KnownUse {
  readonly promptTokensMax: number;
  /** The output cap of all choices together. */
  readonly outputTokensMax: number;
  /** What its provider counted, true or not; null: nothing. */
  readonly reported: TokenUsage | null;
  /** The count of the prompt where it can be true; null: the estimate stands. */
  readonly countedPromptTokens: number | null;
  readonly leastOutputTokens: number;
  /** Whether these are all of it, and not the least. */
  readonly isOutputExact: boolean;
  /** As far as it can be true. */
  readonly countedReasoningTokens: number;
}

export interface FittedEstimate {
  readonly tokens: TokenUsage;
  readonly parts: EstimateParts;
}

/** The estimate of a call within what was held for it, where what is known stands in the place of what was estimated. */
export function fitToHold(estimate: EstimateParts, known: KnownUse): FittedEstimate {
  const { promptTokensMax, outputTokensMax, reported, countedPromptTokens: counted, countedReasoningTokens } = known;
  const estimated = Math.min(Math.max(1, estimate.promptTokens + estimate.imageTokens), promptTokensMax);
  const inputTokens = counted ?? estimated;
  const imageTokens = counted === null ? Math.min(estimate.imageTokens, inputTokens) : 0;
  const made = known.isOutputExact ? 0 : estimate.visibleTokens + estimate.reasoningTokens;
  const outputTokens = Math.min(Math.max(known.leastOutputTokens, made), outputTokensMax);
  // What was counted beyond the text that was seen is reasoning, or what stands for it.
  const hasReasoning = estimate.reasoningTokens > 0 || countedReasoningTokens > 0;
  const visibleTokens = hasReasoning ? Math.min(estimate.visibleTokens, outputTokens) : outputTokens;
  const { cachedInputTokens, cacheWriteInputTokens } = counted === null ? noTokens : (reported ?? noTokens);
  const reasoningTokens = countedReasoningTokens > 0 ? Math.min(countedReasoningTokens, outputTokens) : null;
  return {
    tokens: { inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens, reasoningTokens },
    parts: {
      promptTokens: inputTokens - imageTokens,
      imageTokens,
      visibleTokens,
      reasoningTokens: outputTokens - visibleTokens,
    },
  };
}
