import type { ChatRequest } from '../providers/chat-types.js';
import type { UpstreamTarget } from '../providers/provider-adapter.js';

/**
 * The request without the plain thinking of earlier answers where none of the targets is sent it: nothing is held for it then, and no
 * estimate counts it.
 */
export function withoutUnsentReasoning(request: ChatRequest, targets: readonly UpstreamTarget[]): ChatRequest {
  if (targets.some((target) => target.kind === 'http' && target.adapter.sendsReasoning)) return request;
  if (!request.messages.some(({ reasoning_content: thought }) => thought !== undefined)) return request;
  return { ...request, messages: request.messages.map((message) => ({ ...message, reasoning_content: undefined })) };
}
