import type { ChatMessage, ChatRequest } from '../providers/chat-types.js';
import { type ReasoningField, reasoningFields, type UpstreamTarget } from '../providers/provider-adapter.js';

/**
 * The request without what of the thinking of earlier answers none of the targets is sent: nothing is held for it then, and no estimate
 * counts it.
 */
export function withoutUnsentReasoning(request: ChatRequest, targets: readonly UpstreamTarget[]): ChatRequest {
  const sent = targets.flatMap((target) =>
    target.kind === 'http' ? (target.adapter.sentReasoning?.(target) ?? []) : [],
  );
  const unsent = reasoningFields.filter((field) => !sent.includes(field));
  if (!request.messages.some((message) => unsent.some((field) => hasField(message, field)))) return request;
  const without = Object.fromEntries(unsent.map((field) => [field, undefined]));
  const messages = request.messages.map((message) => ({
    ...message,
    ...without,
    ...(message.tool_calls && { tool_calls: message.tool_calls.map((call) => withoutField(call, unsent)) }),
  }));
  return { ...request, messages };
}

function hasField(message: ChatMessage, field: ReasoningField): boolean {
  if (message[field] !== undefined) return true;
  return field === 'extra_content' && message.tool_calls?.some((call) => call.extra_content !== undefined) === true;
}

function withoutField<Call extends { readonly extra_content?: unknown }>(
  call: Call,
  unsent: readonly ReasoningField[],
): Call {
  return unsent.includes('extra_content') ? { ...call, extra_content: undefined } : call;
}
