import type { TokenUsage } from '../../providers/provider-adapter.js';

// As for a stream that goes on past its cap: tokenizers differ by as much as a third.
const outputMarginTokensMin = 64;
// What providers put before a prompt of their own accord.
const promptMarginTokensMin = 1_024;
const marginShare = 1 / 2;

/** The most output that a provider may report of a call whose output cap is this, in tokens. */
export function findOutputCountMax(outputTokensMax: number): number {
  return withMargin(outputTokensMax, outputMarginTokensMin);
}

/** The longest prompt that a provider may report of one whose bound is this, in tokens. */
export function findPromptCountMax(promptTokensMax: number): number {
  return withMargin(promptTokensMax, promptMarginTokensMin);
}

/** Whether a count is within both of a call whose bound and whose cap these are. */
export function isWithinMargins(
  { inputTokens, outputTokens }: Pick<TokenUsage, 'inputTokens' | 'outputTokens'>,
  { promptTokensMax, outputTokensMax }: { readonly promptTokensMax: number; readonly outputTokensMax: number },
): boolean {
  return inputTokens <= findPromptCountMax(promptTokensMax) && outputTokens <= findOutputCountMax(outputTokensMax);
}

function withMargin(bound: number, marginMin: number): number {
  return bound + Math.max(marginMin, bound * marginShare);
}
