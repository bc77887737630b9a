import type { Millicredits } from '../../kernel/millicredits.js';
import { listPriceMultiplier } from '../../kernel/token-price.js';
import type { ChatRequest } from '../../providers/chat-types.js';
import type { FoundModel, ModelCatalogue } from '../../providers/model-catalogue.js';
import { findCallBounds } from '../call-bounds.js';
import { getModel } from '../get-model.js';

/** The bounds of a call that is not made. */
export interface CallEstimate {
  readonly modelId: string;
  readonly tier: FoundModel['tier'];
  readonly promptTokensMax: number;
  /** What of it are images. */
  readonly imageTokensMax: number;
  /** For one choice. */
  readonly outputTokensMax: number;
  readonly choices: number;
  /** What would be held with credits enough. */
  readonly maximumMillicredits: Millicredits;
  /** With less than this available the call would be refused; more than it would lower the output cap. */
  readonly minimumMillicredits: Millicredits;
}

/**
 * Works out what a call could cost, exactly as its hold would be.
 * @param priceMultiplier What the account pays, in per mille of the list price.
 * @throws AppError `model_not_found`; `unsupported_parameter` for an image that the model does not take.
 */
export function estimateCall(
  request: ChatRequest,
  catalogue: ModelCatalogue,
  priceMultiplier: number = listPriceMultiplier,
): CallEstimate {
  const model = getModel(catalogue, request);
  const bounds = findCallBounds(request, model, model.targets, priceMultiplier);
  return {
    modelId: model.id,
    tier: model.tier,
    promptTokensMax: bounds.promptTokensMax,
    imageTokensMax: bounds.imageTokensMax,
    outputTokensMax: bounds.wantedOutputTokens,
    choices: bounds.choices,
    maximumMillicredits: bounds.costFor(bounds.wantedOutputTokens),
    minimumMillicredits: bounds.costFor(bounds.acceptedOutputTokens),
  };
}

/** What an answer is taken to have where nobody said how long it may become. */
const usualOutputTokens = 1_024;

/**
 * About how many tokens a call will use, for limits that it is corrected by afterwards: a third of the prompt's bytes, images at
 * their most, and the caller's own cap.
 * @returns null: there is no such model.
 * @throws AppError `unsupported_parameter` for an image that the model does not take.
 */
export function estimateTokens(request: ChatRequest, catalogue: ModelCatalogue): number | null {
  const model = catalogue.findModel(request.model);
  if (!model) return null;
  const { choices, promptTokensMax, imageTokensMax, wantedOutputTokens } = findCallBounds(request, model);
  const hasOwnCap = request.max_completion_tokens !== undefined && !request.isOutputCapOptional;
  const outputTokens = hasOwnCap ? wantedOutputTokens : Math.min(usualOutputTokens, wantedOutputTokens);
  return Math.ceil((promptTokensMax - imageTokensMax) / 3) + imageTokensMax + choices * outputTokens;
}
