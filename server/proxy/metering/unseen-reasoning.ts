import { findCapabilities } from '../../pricing/model-capabilities.js';
import type { ChatRequest } from '../../providers/chat-types.js';
import type { FoundModel } from '../../providers/model-catalogue.js';
import type { UpstreamTarget } from '../../providers/provider-adapter.js';
import type { OutputSpeeds } from './output-speeds.js';

/** How fast reasoning that nobody sees may be made, in tokens of one choice in a millisecond. */
export interface UnseenReasoning {
  readonly mayReason: boolean;
  /** 0 where it may not; null: it may, and no finished call has shown how fast. */
  readonly tokensPerMs: number | null;
}

/** A call, and whose it is. */
export interface ReasoningCall {
  readonly accountId: string;
  readonly model: Pick<FoundModel, 'capabilities'>;
  /** As it is sent. */
  readonly request: ChatRequest;
}

type Speeds = Pick<OutputSpeeds, 'findTokensPerMs' | 'hasReasonedUnseen'>;

/** What is known of the reasoning that this target may bill for this request without showing it. */
export function findUnseenReasoning(
  target: UpstreamTarget | null,
  call: ReasoningCall,
  speeds: Speeds,
): UnseenReasoning {
  if (target === null || !mayReasonUnseen(target, call, speeds)) return { mayReason: false, tokensPerMs: 0 };
  return { mayReason: true, tokensPerMs: speeds.findTokensPerMs(target, call.accountId) };
}

function mayReasonUnseen(target: UpstreamTarget, call: ReasoningCall, speeds: Speeds): boolean {
  if (target.kind === 'embedded') return false;
  // What was seen once is believed more than any list.
  if (speeds.hasReasonedUnseen(target, call.accountId)) return true;
  return !target.conduct?.showsReasoning && mayReason(target, call);
}

/** Whether this target may reason for this request, by what is known of its model; whether it shows that is another matter. */
export function mayReason(
  target: UpstreamTarget,
  { model, request }: Pick<ReasoningCall, 'model' | 'request'>,
): boolean {
  if (target.kind === 'embedded' || !canReason(target, model)) return false;
  return target.adapter.mayReason?.(request, target) ?? request.reasoning_effort !== 'none';
}

/** Whether the model is known to reason, by what is said of it here or by its provider's name of it. */
export function canReason(
  { upstreamModel }: Pick<UpstreamTarget, 'upstreamModel'>,
  { capabilities }: Pick<FoundModel, 'capabilities'>,
): boolean {
  return capabilities.reasoning || findCapabilities(upstreamModel, null).reasoning;
}
