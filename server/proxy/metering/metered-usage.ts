import type { EstimateParts, UsageSource } from '../../ledger/ledger-types.js';
import type { TokenUsage } from '../../providers/provider-adapter.js';

/** What a call is billed for, and who counted it. */
export interface MeteredUsage {
  readonly tokens: TokenUsage;
  readonly source: UsageSource;
  /** What an estimate is made of; null for what is none. */
  readonly parts: EstimateParts | null;
}

export const noTokens: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: null,
  cacheWriteInputTokens: null,
  outputTokens: 0,
  reasoningTokens: null,
};
