import type { LogFields } from '../../kernel/logger.js';
import type { TokenUsage } from '../../providers/provider-adapter.js';
import type { FinishedCall } from '../settle-call.js';
import { findOutputCountMax, findPromptCountMax } from './usage-margins.js';
import type { UsageMeter } from './usage-meter.js';

/** No tokenizer makes so many tokens of a text as this many times the usual. */
const timesTheEstimateMax = 100;
/** Below it, a factor says nothing: a few words of ours may stand before any prompt. */
const tokensSuspectedMin = 5_000;
const bytesPerToken = 4;

type JudgedMeter = Pick<
  UsageMeter,
  'promptTokensMax' | 'outputTokensMax' | 'outputBytes' | 'hasUnasked' | 'isOutputBelieved' | 'runningChoices'
>;

type CountedTokens = Pick<TokenUsage, 'inputTokens' | 'outputTokens' | 'reasoningTokens'>;

/** Why a provider's own count cannot be true. */
export type ImplausibleReason =
  | 'unasked_choices'
  | 'output_above_cap'
  | 'prompt_above_bound'
  | 'output_above_answer'
  | 'far_above_estimate';

/**
 * What is wrong with a provider's own count of a call; null: nothing. Tokens that were reasoned stand in no text that we could
 * compare with, and are held against the output cap alone; so is other output that may have been hidden.
 */
export function findImplausibleReason(counted: CountedTokens, meter: JudgedMeter): ImplausibleReason | null {
  const { inputTokens, outputTokens, reasoningTokens } = counted;
  const { promptTokensMax, outputTokensMax, outputBytes, isOutputBelieved, runningChoices } = meter;
  if (meter.hasUnasked) return 'unasked_choices';
  if (outputTokens > findOutputCountMax(outputTokensMax)) return 'output_above_cap';
  if (inputTokens > findPromptCountMax(promptTokensMax)) return 'prompt_above_bound';
  // Before the end it may be a guess of all that will come.
  if (!isOutputBelieved && runningChoices.length === 0) return 'output_above_answer';
  const visibleTokens = inputTokens + outputTokens - (reasoningTokens ?? 0);
  const estimate = (promptTokensMax + outputBytes) / bytesPerToken;
  const isFar = visibleTokens > tokensSuspectedMin && visibleTokens > timesTheEstimateMax * estimate;
  return isFar ? 'far_above_estimate' : null;
}

export interface ImplausibleUsageServices {
  readonly logger: { error(event: string, fields: LogFields): void };
  readonly activity: { noteImplausibleUsage(provider: string, model: string): void };
}

/** Logs a count of a call's provider that cannot be true, and has the operator told; what is billed instead, the meter says. */
export function tellImplausibleUsage(
  { call, model, attempts, meter, outcome }: Pick<FinishedCall, 'call' | 'model' | 'attempts' | 'meter' | 'outcome'>,
  { logger, activity }: ImplausibleUsageServices,
): void {
  const counted = outcome === 'failed' ? null : meter.reported;
  const reason = counted && findImplausibleReason(counted, meter);
  if (counted === null || reason === null) return;
  const provider = attempts.at(-1)?.provider ?? '';
  logger.error('implausible_usage', {
    callId: call.id,
    provider,
    model: model.id,
    reason,
    reported: { promptTokens: counted.inputTokens, completionTokens: counted.outputTokens },
    held: { promptTokens: meter.promptTokensMax, completionTokens: meter.outputTokensMax },
  });
  activity.noteImplausibleUsage(provider, model.id);
}
