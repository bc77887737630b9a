import { AppError } from '../kernel/app-error.js';
import { formatCredits, type Millicredits, toMillicredits } from '../kernel/millicredits.js';
import { countTokensFor } from '../kernel/token-price.js';
import { divideBalance } from '../ledger/divide-balance.js';
import type { HoldResult } from '../ledger/ledger-types.js';
import type { ChatRequest } from '../providers/chat-types.js';
import { listImageNames, refusePrivateImages } from '../providers/image-address.js';
import type { FoundModel } from '../providers/model-catalogue.js';
import type { UpstreamTarget } from '../providers/provider-adapter.js';
import { during } from '../tracing/call-trace.js';
import { findCallBounds } from './call-bounds.js';
import { holdByKey } from './hold-by-key.js';
import { adviseToAskForLess, keyLimitWords, memberBudgetWords, remainingOf, toLimitRefusal } from './limit-refusal.js';
import type { ProxyCall, ProxyServices } from './proxy-call.js';
import { withoutUnsentReasoning } from './sent-reasoning.js';

/** A call whose worst case is paid for in advance. */
export interface AdmittedCall {
  /** What goes upstream: the request that was priced, with its output cap. */
  readonly request: ChatRequest;
  readonly promptTokensMax: number;
  readonly imageTokensMax: number;
  readonly hiddenPromptTokensMax: number;
  readonly heldMillicredits: Millicredits;
  /** The output cap per choice when it is lower than the caller or the model would have it; else null. */
  readonly loweredOutputCap: number | null;
}

/**
 * Places the hold for a call's worst case at the dearest of its targets: the upper bound of the prompt plus the output cap,
 * times the price. A caller who set no cap gets the model's, lowered to what the balance affords, and to a share of what is left
 * of the key's spend limit.
 * @throws AppError `insufficient_quota` when the balance does not cover the call, `key_limit_exceeded` when the key's spend limit
 *   does not, `member_budget_exceeded` when the budget of whoever made the key does not, `credits_reserved` when one of them would
 *   without what running calls have reserved, `invalid_api_key` when the key was revoked meanwhile, `service_unavailable` while the
 *   key is being changed, `forbidden` for a wallet that takes no calls; before that as `findCallBounds` and `refusePrivateImages`, and `unsupported_value` for thinking that a target has no word for.
 */
export async function admitCall(
  call: ProxyCall,
  { model, targets }: { model: FoundModel; targets: readonly UpstreamTarget[] },
  services: ProxyServices,
): Promise<AdmittedCall> {
  const { request } = call;
  refuseOtherThinking(request, model, targets);
  const price = services.findPriceMultiplier(call.key.accountId);
  const priceMultiplier = price instanceof Promise ? await price : price;
  const bounds = findCallBounds(request, model, targets, priceMultiplier);
  const { choices, promptTokensMax, wantedOutputTokens, costFor } = bounds;
  const imageNames = listImageNames(request);
  if (imageNames.size > 0) await refusePrivateImages(imageNames, services.lookUpName);

  const input = {
    callId: call.id,
    accountId: call.key.accountId,
    keyId: call.key.keyId,
    facts: {
      model: model.id,
      provider: targets[0]?.providerId ?? '',
      tier: model.tier,
      millicreditsPerToken: model.millicreditsPerToken,
      priceMultiplier,
      isStreamed: request.stream === true,
      startedAtMs: call.startedAtMs,
    },
    amountMillicredits: costFor(wantedOutputTokens),
    acceptFromMillicredits: costFor(bounds.acceptedOutputTokens),
    enoughMillicredits: costFor(bounds.enoughOutputTokens),
  };
  const holding = during(call.trace, 'ledger reserve', () => holdByKey(call, { model, targets, input }, services));
  const hold = holding instanceof Promise ? await holding : holding;
  const affordableOutputTokens = (millicredits: number) =>
    Math.floor((countTokensFor(millicredits, input.facts) - promptTokensMax) / choices);
  if (hold.status === 'refused') {
    const { keyLimit, memberBudget, availableMillicredits } = hold;
    const remaining = [keyLimit, memberBudget].flatMap((limit) => (limit ? [remainingOf(limit)] : []));
    const affordable = affordableOutputTokens(Math.min(...remaining, availableMillicredits));
    throw toRefusal(hold, costFor(bounds.acceptedOutputTokens), affordable);
  }
  const outputCap = Math.min(wantedOutputTokens, affordableOutputTokens(hold.heldMillicredits));
  return {
    request: { ...withoutUnsentReasoning(toModel(request, model), targets), max_completion_tokens: outputCap },
    promptTokensMax,
    imageTokensMax: bounds.imageTokensMax,
    hiddenPromptTokensMax: bounds.hiddenPromptTokensMax,
    heldMillicredits: hold.heldMillicredits,
    loweredOutputCap: outputCap < (request.max_completion_tokens ?? model.maxOutputTokens) ? outputCap : null,
  };
}

// Left out, the model would think before it answers, which is what was to be off. One that never thinks does as it is told.
function refuseOtherThinking(
  { isThinkingBetweenTools }: ChatRequest,
  { capabilities }: FoundModel,
  targets: readonly UpstreamTarget[],
): void {
  if (!isThinkingBetweenTools || !capabilities.reasoning) return;
  if (targets.every((target) => target.kind === 'http' && target.adapter.thinksBetweenTools?.(target))) return;
  const param = 'thinking.type';
  const words = `Unsupported value: '${param}' may not be "between_tools" for this model. Send "disabled" for as little thinking as it can do.`;
  throw new AppError('unsupported_value', words, { param });
}

// Clients that set an effort by themselves do so for every model, and some providers refuse it.
function toModel(request: ChatRequest, { capabilities }: FoundModel): ChatRequest {
  if (!request.isReasoningEffortOptional || capabilities.reasoning) return request;
  return { ...request, reasoning_effort: undefined, isThinkingAsked: undefined };
}

function toRefusal(
  hold: Extract<HoldResult, { status: 'refused' }>,
  needed: Millicredits,
  affordableOutputTokens: number,
): AppError {
  const { balanceMillicredits: balance } = hold;
  const divided = divideBalance(balance, balance - hold.availableMillicredits);
  const available = formatCredits(toMillicredits(Math.max(0, divided.availableMillicredits)));
  const reserved = formatCredits(divided.heldMillicredits);
  const owed = formatCredits(divided.debtMillicredits);
  const metadata = {
    needed_credits: Number(formatCredits(needed)),
    available_credits: Number(available),
    reserved_credits: Number(reserved),
    max_affordable_tokens: Math.max(0, affordableOutputTokens),
    ...(balance < 0 ? { owed_credits: Number(owed) } : {}),
    ...(hold.frozenFor ? { frozen_for: hold.frozenFor.join(',') } : {}),
  };
  const orAskForLess = adviseToAskForLess(metadata.max_affordable_tokens);
  const refusal = { needed, maxAffordableTokens: metadata.max_affordable_tokens };
  switch (hold.reason) {
    case 'insufficient':
      if (balance < 0) {
        return new AppError(
          'insufficient_quota',
          `Your account owes ${owed} credits, because a purchase was refunded or disputed after its credits were spent. No call can be made until they are repaid: your next purchase on the dashboard's page "Credits" repays them first. No billing took place.`,
          { metadata },
        );
      }
      return new AppError(
        'insufficient_quota',
        `You exceeded your current quota: this request needs up to ${formatCredits(needed)} credits but ${available} are available. Add credits on the dashboard's page "Credits"${orAskForLess}. No billing took place.`,
        { metadata },
      );
    case 'reserved':
      return new AppError(
        'credits_reserved',
        `This request needs up to ${formatCredits(needed)} credits; ${available} are available because your running calls have reserved ${reserved}. Try again when they have finished${orAskForLess}.`,
        { metadata, retryAfterMs: 2_000 },
      );
    case 'key_limit':
    case 'key_limit_reserved':
      return toLimitRefusal(hold.keyLimit, keyLimitWords, {
        ...refusal,
        isReserved: hold.reason === 'key_limit_reserved',
      });
    case 'member_budget':
    case 'member_budget_reserved':
      return toLimitRefusal(hold.memberBudget, memberBudgetWords, {
        ...refusal,
        isReserved: hold.reason === 'member_budget_reserved',
      });
    case 'key_changed':
      return new AppError('service_unavailable', 'This API key is being changed just now. Try again.');
    case 'key_revoked':
      return new AppError('invalid_api_key', 'This API key has been revoked. Create a new one on the dashboard.');
    case 'wallet_not_open':
      if (hold.frozenFor?.includes('dispute')) {
        return new AppError(
          'insufficient_quota',
          'Your account is frozen because one of your payments is disputed with your bank. Calls work again once the dispute is closed. No billing took place.',
          { metadata },
        );
      }
      return new AppError('forbidden', 'This account cannot make calls at the moment. Ask the operator.', { metadata });
    case 'call_already_ended':
      return new AppError('forbidden', 'This account cannot make calls at the moment. Ask the operator.');
  }
}
