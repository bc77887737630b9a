import type { ChatRequest } from '../../providers/chat-types.js';
import type { TokenUsage } from '../../providers/provider-adapter.js';
import { fastestTokensPerMs } from './output-speeds.js';
import type { ShownOutput } from './shown-output.js';
import { findOutputCountMax } from './usage-margins.js';

/** What providers count beside the words of each choice, by any of their templates. */
export const frameTokensPerChoice = 16;
const frameTokensPerToolCall = 32;

/** An answer, and what may be in it that was not shown. */
export interface JudgedAnswer {
  readonly shown: Pick<ShownOutput, 'bytes' | 'otherBytes' | 'toolCalls' | 'endReasons'>;
  readonly choices: number;
  /** The output cap of all choices together. */
  readonly outputTokensMax: number;
  /** From the sending of the request to what came last. */
  readonly elapsedMs: number;
  /** Whether its model may reason for such a request. */
  readonly mayReason: () => boolean;
}

/** The most output that what was shown can have, in tokens: one is at least a byte, and each choice and each tool call has its frame. */
export function findShownTokensMax({ shown, choices }: Pick<JudgedAnswer, 'shown' | 'choices'>): number {
  const frames = choices * frameTokensPerChoice + shown.toolCalls * frameTokensPerToolCall;
  return shown.bytes + shown.otherBytes + frames;
}

/** Whether it may have output that nobody counts apart: reasoning, or words that a filter held back. */
export function mayHideOutput({ shown, mayReason }: Pick<JudgedAnswer, 'shown' | 'mayReason'>): boolean {
  return shown.endReasons.has('content_filter') || mayReason();
}

/**
 * Whether an answer can have as much output as its provider counted. What was shown bounds the rest of it, with the margin that counts have.
 * Beyond that it is believed where output may have been hidden, else as far as its provider counted reasoning. A count
 * that is above the output cap, too, is believed only as far as the fastest model could have come in the time.
 */
export function isOutputBelieved(
  { outputTokens, reasoningTokens }: Pick<TokenUsage, 'outputTokens' | 'reasoningTokens'>,
  answer: JudgedAnswer,
): boolean {
  const hiddenTokens = outputTokens - findOutputCountMax(findShownTokensMax(answer));
  if (hiddenTokens <= 0) return true;
  if (hiddenTokens > (reasoningTokens ?? 0) && !mayHideOutput(answer)) return false;
  const { choices, elapsedMs, outputTokensMax } = answer;
  return (
    outputTokens <= findOutputCountMax(outputTokensMax) || hiddenTokens <= elapsedMs * fastestTokensPerMs * choices
  );
}

/** Whether a request may end an answer before its first word: by a stop text, or by a token that it wants, such as the one that ends a turn. */
export function mayStopAnswer({ stop = [], logit_bias: bias = {} }: Pick<ChatRequest, 'stop' | 'logit_bias'>): boolean {
  return [stop].flat().some((text) => text !== '') || Object.values(bias).some((wish) => wish > 0);
}
