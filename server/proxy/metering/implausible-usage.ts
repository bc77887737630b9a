import type { LogFields } from '../../kernel/logger.js';
import type { TokenUsage } from '../../providers/provider-adapter.js';
import type { FinishedCall } from '../settle-call.js';
import { findOutputCountMax, findPromptCountMax } from './usage-margins.js';
import type { MeteredUsage, UsageMeter } from './usage-meter.js';

/** No tokenizer makes so many tokens of a text as this many times the usual. */
const timesTheEstimateMax = 100;
/** Below it, a factor says nothing: a few words of ours may stand before any prompt. */
const tokensSuspectedMin = 5_000;
const bytesPerToken = 4;

type JudgedMeter = Pick<UsageMeter, 'promptTokensMax' | 'outputTokensMax' | 'outputBytes'>;

type CountedTokens = Pick<TokenUsage, 'inputTokens' | 'outputTokens' | 'reasoningTokens'>;

/** Why a provider's own count cannot be true. */
export type ImplausibleReason = 'output_above_cap' | 'prompt_above_bound' | 'far_above_estimate';

/**
 * What is wrong with a provider's own count of a call; null: nothing. Tokens that were reasoned stand in no text that we could
 * compare with, and are held against the output cap alone.
 */
export function findImplausibleReason(counted: CountedTokens, meter: JudgedMeter): ImplausibleReason | null {
  const { inputTokens, outputTokens, reasoningTokens } = counted;
  const { promptTokensMax, outputTokensMax, outputBytes } = meter;
  if (outputTokens > findOutputCountMax(outputTokensMax)) return 'output_above_cap';
  if (inputTokens > findPromptCountMax(promptTokensMax)) return 'prompt_above_bound';
  const visibleTokens = inputTokens + outputTokens - (reasoningTokens ?? 0);
  const estimate = (promptTokensMax + outputBytes) / bytesPerToken;
  const isFar = visibleTokens > tokensSuspectedMin && visibleTokens > timesTheEstimateMax * estimate;
  return isFar ? 'far_above_estimate' : null;
}

export interface ImplausibleUsageServices {
  readonly logger: { error(event: string, fields: LogFields): void };
  readonly activity: { noteImplausibleUsage(provider: string, model: string): void };
}

/**
 * The usage that a call is billed for, given what its provider counted. A count that cannot be true is logged for the operator and
 * billed up to the hold, as an estimate where that is less; a usage that is an estimate already stays as it is. Whatever a provider
 * reports, the rest of the account's balance is not touched.
 */
export function boundImplausibleUsage(
  usage: MeteredUsage,
  { call, model, attempts, meter }: Pick<FinishedCall, 'call' | 'model' | 'attempts' | 'meter'>,
  { logger, activity }: ImplausibleUsageServices,
): MeteredUsage {
  const counted = findCounted(usage, meter);
  const reason = counted && findImplausibleReason(counted, meter);
  if (counted === null || reason === null) return usage;
  const { promptTokensMax, outputTokensMax } = meter;
  const { inputTokens, outputTokens } = counted;
  const provider = attempts.at(-1)?.provider ?? '';
  const reported = { promptTokens: inputTokens, completionTokens: outputTokens };
  logger.error('implausible_usage', {
    callId: call.id,
    provider,
    model: model.id,
    reason,
    reported,
    held: { promptTokens: promptTokensMax, completionTokens: outputTokensMax },
  });
  activity.noteImplausibleUsage(provider, model.id);
  if (usage.source === 'estimated') return usage;
  const billedOutput = Math.min(outputTokens, outputTokensMax);
  const tokens = {
    ...usage.tokens,
    inputTokens: Math.min(inputTokens, promptTokensMax),
    cachedInputTokens: null,
    cacheWriteInputTokens: null,
    outputTokens: billedOutput,
    reasoningTokens:
      usage.tokens.reasoningTokens === null ? null : Math.min(usage.tokens.reasoningTokens, billedOutput),
  };
  // What lies within the hold is billed as it was reported: reasoning that nobody showed may explain it.
  const isCut = tokens.inputTokens < inputTokens || tokens.outputTokens < outputTokens;
  return isCut ? { tokens, source: 'estimated', parts: null } : usage;
}

// Of an answer that was billed, by its provider's count or in spite of it.
function findCounted({ source, tokens }: MeteredUsage, { implausibleUsage }: UsageMeter): TokenUsage | null {
  if (source === 'reported') return tokens;
  return source === 'estimated' ? implausibleUsage : null;
}
