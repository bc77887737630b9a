import type { EstimateParts } from '../../ledger/ledger-types.js';
import type { ChatRequest } from '../../providers/chat-types.js';
import { listPromptTexts } from '../requests/prompt-texts.js';
import type { KeptText } from './kept-text.js';
import { countOrSample } from './sampled-count.js';
import type { TokenCounter } from './token-counter.js';
import type { UnseenWait } from './unseen-time.js';

/** What the hold of a call was made for; no estimate goes beyond it. */
export interface MeterBounds {
  readonly promptTokensMax: number;
  /** What of it are images, each at its dearest. */
  readonly imageTokensMax: number;
  /** What of it the provider itself may put before the prompt; an estimate charges none of it, since most put nothing there. */
  readonly hiddenPromptTokensMax: number;
  /** The request that was sent, with its output cap. */
  readonly request: Pick<
    ChatRequest,
    'messages' | 'tools' | 'response_format' | 'embedding' | 'n' | 'max_completion_tokens' | 'stop' | 'logit_bias'
  >;
}

/** What a stream has shown of an answer. */
export interface SeenOutput {
  readonly visible: KeptText;
  /** The reasoning that the stream told. */
  readonly reasoning: KeptText;
  /** Of its images, which have no text to count. */
  readonly imageTokens: number;
  /** Of what it brought in fields that nobody lists. It may repeat the rest, so that the larger of both counts. */
  readonly otherTokens: number;
  /** How long each choice showed nothing. */
  readonly waits: readonly UnseenWait[];
  /** How fast reasoning that is not told may be made, in tokens of one choice; 0 where there is none. */
  readonly unseenTokensPerMs: number;
}

/** No text that people or models write has longer tokens than this on average, whatever its language. */
export const longestTokenBytes = 16;

/** How long a stream may stand still to be counted, however much others have to count. */
const streamWaitMs = 10_000;

// Around each message providers put about four tokens; the bound of such a frame is sixteen.
const frameShare = 1 / 4;

/**
 * Estimates what a call has used: the whole prompt and the whole text by the tokenizer, images at
 * their bounds, and of the reasoning what was told or what its time makes of it beside the words that were made in the
 * same time, whichever is more. Where the tokenizer has too much to do, a sample of each text stands for it. Never throws.
 */
export async function estimateUsage(
  bounds: MeterBounds,
  seen: SeenOutput,
  counter: Pick<TokenCounter, 'count'>,
): Promise<EstimateParts> {
  const { promptTokensMax, imageTokensMax, hiddenPromptTokensMax, request } = bounds;
  const { visible, reasoning, imageTokens, otherTokens } = seen;
  const promptTexts = listPromptTexts(request);
  const promptBytes = promptTexts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const givenTokens = countGivenTokens(request);
  const groups = [promptTexts, visible.texts, reasoning.texts];
  const [promptCount = 0, visibleCount = 0, reasoningCount = 0] = await countOrSample(groups, counter);
  const frameTokensMax = Math.max(
    0,
    promptTokensMax - promptBytes - givenTokens - imageTokensMax - hiddenPromptTokensMax,
  );
  const visibleTokens = visibleCount + visible.bytesBeyond;
  const toldTokens = reasoningCount + reasoning.bytesBeyond;
  return {
    promptTokens: givenTokens + promptCount + Math.ceil(frameTokensMax * frameShare),
    imageTokens: imageTokensMax,
    visibleTokens: Math.max(visibleTokens + imageTokens, otherTokens - toldTokens),
    reasoningTokens: Math.max(toldTokens, countUnseen(seen, visibleTokens)),
  };
}

// Of each choice by itself: what one has shown in its time says nothing of the others.
function countUnseen({ visible, waits, unseenTokensPerMs }: SeenOutput, visibleTokens: number): number {
  const tokensPerByte = visible.bytes === 0 ? 0 : visibleTokens / visible.bytes;
  const unseenTokens = waits.map(({ ms, textBytes, imageTokens }) =>
    Math.max(0, ms * unseenTokensPerMs - textBytes * tokensPerByte - imageTokens),
  );
  return Math.ceil(sum(unseenTokens));
}

/** How many tokens the prompt of a request has at the least, by its text alone; at least 1. Costs no tokenizer. */
export function countPromptMin(request: MeterBounds['request']): number {
  const promptBytes = listPromptTexts(request).reduce((bytes, text) => bytes + Buffer.byteLength(text), 0);
  return Math.max(1, countGivenTokens(request) + Math.ceil(promptBytes / longestTokenBytes));
}

// Ids of tokens need no tokenizer.
function countGivenTokens({ embedding }: MeterBounds['request']): number {
  const inputs = embedding?.inputs;
  return inputs?.kind === 'tokens' ? inputs.tokens.reduce((count, { length }) => count + length, 0) : 0;
}

/** How many tokens a text of a running stream has; null when that is not known in the time that a stream may stand still. */
export async function countKept(text: KeptText, counter: Pick<TokenCounter, 'count'>): Promise<number | null> {
  const counts = await counter.count(text.texts, streamWaitMs);
  return counts === null ? null : sum(counts) + text.bytesBeyond;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
