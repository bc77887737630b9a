import { isJsonObject, type JsonBody, toText } from '../../kernel/json-body.js';
import { refuseManyCalls } from '../answers/answer-limits.js';
import { measureOutput } from '../answers/other-output.js';
import { toAnswerEvents } from '../answers/piece-events.js';
import {
  type AssistantMessage,
  type ChatCompletion,
  type ExactStop,
  exactStop,
  type FinishReason,
  type JsonObject,
  type ToolCall,
} from '../chat-types.js';
import { listObjects, normaliseArguments, type ParsedJson, parseObject } from '../json-object.js';
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
  const blocks = listBlocks(answer.content);
  if (blocks === null) throw createUnreadableError(context.providerId, 'no list of content');
  const message = toMessage(blocks, context);
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
  return toAnswerEvents(completion, usage.total);
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

/** The blocks of a content, in whatever form they come: a list, a single one without a list, or a text. null: it is none of these. */
function listBlocks(content: unknown): readonly JsonBody[] | null {
  if (content === undefined || content === null) return null;
  return listObjects(content, (text) => ({ type: 'text', text }));
}

/** Whether a block is of a kind that is read; what another one holds is kept as it is. */
export function isKnownBlock({ type, text, thinking }: JsonBody): boolean {
  if (type === 'text') return typeof text !== 'object' || text === null;
  if (type === 'thinking') return typeof thinking !== 'object' || thinking === null;
  return type === 'tool_use' || type === 'redacted_thinking';
}

function toMessage(blocks: readonly JsonBody[], { publicModel, providerId }: AnswerContext): AssistantMessage {
  const calls: ToolCall[] = [];
  const details: JsonObject[] = [];
  const others = blocks.filter((block) => !isKnownBlock(block) && measureOutput(block) > 0);
  const progress = new TurnProgress();
  let content = '';
  let reasoning = '';
  for (const [index, block] of blocks.entries()) {
    const thinking = readThinking(block);
    if (thinking !== null) {
      details.push(toReasoningDetail(thinking, { index, after: progress.mark, publicModel }));
      progress.addThinking();
    }
    if (block.type === 'thinking') reasoning += toText(block.thinking);
    if (block.type === 'tool_use' && block.name !== jsonAnswerTool) {
      const call = toToolCall(block, calls.length);
      calls.push(call);
      progress.addCall(call.id);
      refuseManyCalls(calls.length, providerId);
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
    ...(others.length === 0 ? {} : { other_parts: others }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function readText({ type, text, name, input }: Record<string, unknown>): string {
  if (type === 'text') return toText(text);
  return type === 'tool_use' && name === jsonAnswerTool ? JSON.stringify(input ?? {}) : '';
}

function toToolCall({ id, name, input }: Record<string, unknown>, index: number): ToolCall {
  return {
    id: typeof id === 'string' && id !== '' ? id : `call_${index}`,
    type: 'function',
    function: { name: toText(name), arguments: normaliseArguments(input) || '{}' },
  };
}
