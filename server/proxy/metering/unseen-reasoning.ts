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

type Speeds = Pick<OutputSpeeds, 'findTokensPerMs' | 'hasReasonedUnseen'>;

/** What is known of the reasoning that this target may bill for this request without showing it. */
export function findUnseenReasoning(
  target: UpstreamTarget | null,
  call: { readonly model: Pick<FoundModel, 'capabilities'>; readonly request: ChatRequest },
  speeds: Speeds,
): UnseenReasoning {
  if (target === null || !mayReasonUnseen(target, call, speeds)) return { mayReason: false, tokensPerMs: 0 };
  return { mayReason: true, tokensPerMs: speeds.findTokensPerMs(target) };
}

function mayReasonUnseen(
  target: UpstreamTarget,
  { model, request }: { model: Pick<FoundModel, 'capabilities'>; request: ChatRequest },
  speeds: Speeds,
): boolean {
  if (target.kind === 'embedded') return false;
  // What was seen once is believed more than any list.
  if (speeds.hasReasonedUnseen(target)) return true;
  if (target.conduct?.showsReasoning) return false;
  return (
    canReason(target, model) && (target.adapter.mayReason?.(request, target) ?? request.reasoning_effort !== 'none')
  );
}

/** Whether the model is known to reason, by what is said of it here or by its provider's name of it. */
export function canReason(
  { upstreamModel }: Pick<UpstreamTarget, 'upstreamModel'>,
  { capabilities }: Pick<FoundModel, 'capabilities'>,
): boolean {
  return capabilities.reasoning || findCapabilities(upstreamModel, null).reasoning;
}
