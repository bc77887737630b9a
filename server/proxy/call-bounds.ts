import { AppError } from '../kernel/app-error.js';
import type { Millicredits } from '../kernel/millicredits.js';
import { listPriceMultiplier } from '../kernel/token-price.js';
import { estimateMaximumCost, findImageTokensMax, findPromptTokensMax } from '../pricing/estimate-maximum-cost.js';
import { findPlainTokensMax } from '../providers/answers/answer-limits.js';
import type { ChatRequest } from '../providers/chat-types.js';
import type { FoundModel } from '../providers/model-catalogue.js';
import type { UpstreamTarget } from '../providers/provider-adapter.js';
import { withoutUnsentReasoning } from './sent-reasoning.js';

/** The bounds of a call's output, and so of its cost. */
export interface CallBounds {
  readonly choices: number;
  readonly promptTokensMax: number;
  /** What of it are images, and what the provider itself may put before the prompt. */
  readonly imageTokensMax: number;
  readonly hiddenPromptTokensMax: number;
  /** The caller's cap, or the model's; for one choice. */
  readonly wantedOutputTokens: number;
  /** The least for which the call is begun: the caller's own cap, or a few tokens where there is none. */
  readonly acceptedOutputTokens: number;
  /** The caller's own cap; where there is none, what is enough for nearly every answer, so that a limit has room for other calls. */
  readonly enoughOutputTokens: number;
  /** The price of the prompt and so many tokens for each choice. */
  costFor(outputTokensMax: number): Millicredits;
}

/** An uncapped call is not begun when the balance affords less than this many tokens of answer. */
const outputTokensMin = 16;
/** Longer than nearly every answer. */
const outputTokensEnough = 4_096;

/**
 * Bounds one call of one model, so that every one of its targets stays within.
 * @param priceMultiplier What the account pays, in per mille of the list price.
 * @throws AppError `unsupported_parameter` for an image that the model does not take; `invalid_value` for a plain answer that could
 *   have more log probabilities than can be read at once.
 */
export function findCallBounds(
  request: ChatRequest,
  found: FoundModel,
  targets: readonly UpstreamTarget[] = found.targets,
  priceMultiplier: number = listPriceMultiplier,
): CallBounds {
  const { maxOutputTokens, imageTokensMax } = findWidestLimits(found, targets);
  const choices = request.n ?? 1;
  const hasHiddenPrompt = request.tools !== undefined || request.response_format !== undefined;
  const hiddenPromptTokensMax = hasHiddenPrompt ? found.hiddenPromptTokensMax : 0;
  const promptTokensMax =
    findPromptTokensMax(withoutUnsentReasoning(request, targets), imageTokensMax) + hiddenPromptTokensMax;
  const asked = request.max_completion_tokens;
  const room = asked ?? findRoomForOutput(found.contextTokens, maxOutputTokens, promptTokensMax);
  const readableTokens = findReadableTokens(request, targets);
  if (asked && !request.isOutputCapOptional && Math.min(room, maxOutputTokens) > readableTokens)
    throw createUnreadableLogprobsError(request, readableTokens);
  const wantedOutputTokens = Math.min(room, maxOutputTokens, readableTokens);
  const { millicreditsPerToken } = found;
  return {
    choices,
    promptTokensMax,
    imageTokensMax: findImageTokensMax(request, imageTokensMax),
    hiddenPromptTokensMax,
    wantedOutputTokens,
    acceptedOutputTokens:
      asked && !request.isOutputCapOptional ? wantedOutputTokens : Math.min(outputTokensMin, wantedOutputTokens),
    enoughOutputTokens: asked === undefined ? Math.min(outputTokensEnough, wantedOutputTokens) : wantedOutputTokens,
    costFor: (outputTokensMax) =>
      estimateMaximumCost({ millicreditsPerToken, priceMultiplier, promptTokensMax, outputTokensMax, choices }),
  };
}

// Routes of one model have one price, but may differ in their limits.
function findWidestLimits(model: FoundModel, targets: readonly UpstreamTarget[]) {
  const images = targets.map((target) => target.imageTokensMax ?? model.imageTokensMax);
  return {
    maxOutputTokens: Math.max(...targets.map((target) => target.maxOutputTokens ?? model.maxOutputTokens)),
    imageTokensMax: model.imageTokensMax && {
      low: Math.max(...images.map((image) => image?.low ?? 0)),
      high: Math.max(...images.map((image) => image?.high ?? 0)),
    },
  };
}

// A stream brings its log probabilities piece by piece.
function findReadableTokens(request: ChatRequest, targets: readonly UpstreamTarget[]): number {
  if (request.stream === true) return Number.POSITIVE_INFINITY;
  const counts = targets.map((target) =>
    target.kind === 'http' ? (target.adapter.countLogprobs?.(request, target) ?? 0) : 0,
  );
  return findPlainTokensMax(request, Math.max(0, ...counts));
}

function createUnreadableLogprobsError(request: ChatRequest, readableTokens: number): AppError {
  const param = request.top_logprobs ? 'top_logprobs' : 'logprobs';
  const words = `Invalid '${param}': an answer in one piece with so many log probabilities may have at most ${readableTokens.toLocaleString('en')} tokens for each choice. Send 'stream': true, lower 'max_tokens' to ${readableTokens}, or ask for fewer in 'top_logprobs'.`;
  return new AppError('invalid_value', words, { param });
}

// Providers refuse a cap that, with the prompt, passes the context. The prompt's bound counts each byte as a token; a third of
// it is nearer to the truth, and good enough for a cap that nobody asked for.
function findRoomForOutput(contextTokens: number, maxOutputTokens: number, promptTokensMax: number): number {
  const room = contextTokens - Math.ceil(promptTokensMax / 3);
  return Math.min(maxOutputTokens, Math.max(room, 256));
}
