import { isJsonObject, toText } from '../../kernel/json-body.js';
import {
  type AssistantMessage,
  type ChatCompletion,
  type ExactStop,
  exactStop,
  type FinishReason,
  type JsonObject,
  type ToolCall,
} from '../chat-types.js';
import { normaliseArguments, type ParsedJson, parseObject } from '../json-object.js';
import type { AnswerContext, UpstreamEvent } from '../provider-adapter.js';
import { createUnreadableError } from '../upstream-error.js';
import { findAnthropicError } from './anthropic-error.js';
import { toReasoningDetail } from './anthropic-reasoning.js';
import { jsonAnswerTool } from './anthropic-tools.js';
import type { ThinkingBlock } from './anthropic-types.js';
import { AnthropicUsage } from './anthropic-usage.js';
import { TurnProgress } from './turn-order.js';

/**
 * Translates a complete answer: usage first, if it makes sense, then the completion.
 * @throws AppError when the text is not an answer, or is an error in disguise.
 */
export function parseAnthropicResponse(body: string | ParsedJson, context: AnswerContext): readonly UpstreamEvent[] {
  const answer = parseAnthropicObject(body, context);
  if (!Array.isArray(answer.content)) throw createUnreadableError(context.providerId, 'no list of content');
  const message = toMessage(answer.content.filter(isJsonObject), context);
  message.refusal = findRefusal(answer.stop_details);
  const completion: ChatCompletion = {
    id: context.answerId,
    object: 'chat.completion',
    created: context.createdSeconds,
    model: context.publicModel,
    choices: [
      {
        index: 0,
        message,
        logprobs: null,
        finish_reason: toFinishReason(answer.stop_reason, message.tool_calls !== undefined),
        ...toExactStop(answer),
      },
    ],
  };
  const usage = new AnthropicUsage();
  usage.report(answer.usage);
  const { total } = usage;
  return total === null
    ? [{ type: 'completion', completion }]
    : [
        { type: 'usage', usage: total },
        { type: 'completion', completion },
      ];
}

/** Parses the JSON of an answer or of one event. @throws AppError when it is no object, or reports an error. */
export function parseAnthropicObject(text: string | ParsedJson, context: AnswerContext): Record<string, unknown> {
  const answer = parseObject(text);
  if (answer === null) throw createUnreadableError(context.providerId, 'not a JSON object');
  const error = findAnthropicError(answer, context.providerId);
  if (error !== null) throw error;
  return answer;
}

/** Brings a stop reason into OpenAI's five; one that is new counts as `stop`. */
export function toFinishReason(stopReason: unknown, hasToolCalls: boolean): FinishReason {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content_filter';
    default:
      // A call of the tool that only carries JSON is the answer itself, and so no call.
      return hasToolCalls ? 'tool_calls' : 'stop';
  }
}

/** What is to stand beside the finish reason: the text that stopped the answer, or that the context was full; else nothing. */
export function toExactStop({ stop_reason: reason, stop_sequence: sequence }: Record<string, unknown>): {
  [exactStop]?: ExactStop;
} {
  if (reason === 'model_context_window_exceeded') return { [exactStop]: { reason: 'context_full' } };
  if (reason !== 'stop_sequence' || typeof sequence !== 'string') return {};
  return { [exactStop]: { reason, sequence } };
}

/** Why an answer was refused, in words for its reader; null when it was not, or nothing was said. */
export function findRefusal(stopDetails: unknown): string | null {
  const isRefusal = isJsonObject(stopDetails) && stopDetails.type === 'refusal';
  return isRefusal && typeof stopDetails.explanation === 'string' ? stopDetails.explanation : null;
}

/** Reads a block of thinking; null when it is none, or has no signature to send back. */
export function readThinking(block: Record<string, unknown>): ThinkingBlock | null {
  const { type, thinking, signature, data } = block;
  if (type === 'redacted_thinking' && typeof data === 'string') return { type, data };
  if (type !== 'thinking' || typeof signature !== 'string' || signature === '') return null;
  return { type, thinking: typeof thinking === 'string' ? thinking : '', signature };
}

function toMessage(blocks: readonly Record<string, unknown>[], { publicModel }: AnswerContext): AssistantMessage {
  const calls: ToolCall[] = [];
  const details: JsonObject[] = [];
  const progress = new TurnProgress();
  let content = '';
  let reasoning = '';
  for (const [index, block] of blocks.entries()) {
    const thinking = readThinking(block);
    if (thinking !== null) {
      details.push(toReasoningDetail(thinking, { index, after: progress.mark, publicModel }));
      progress.addThinking();
    }
    if (block.type === 'thinking' && typeof block.thinking === 'string') reasoning += block.thinking;
    if (block.type === 'tool_use' && block.name !== jsonAnswerTool) {
      const call = toToolCall(block, calls.length);
      calls.push(call);
      progress.addCall(call.id);
    }
    const text = readText(block);
    content += text;
    progress.addText(text);
  }
  return {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function readText({ type, text, name, input }: Record<string, unknown>): string {
  if (type === 'text') return typeof text === 'string' ? text : '';
  return type === 'tool_use' && name === jsonAnswerTool ? JSON.stringify(input ?? {}) : '';
}

function toToolCall({ id, name, input }: Record<string, unknown>, index: number): ToolCall {
  return {
    id: typeof id === 'string' && id !== '' ? id : `call_${index}`,
    type: 'function',
    function: { name: toText(name), arguments: normaliseArguments(input) || '{}' },
  };
}
