import { AppError } from '../../kernel/app-error.js';
import type { ChatMessage, ChatRequest, ContentPart } from '../chat-types.js';
import { findBase64 } from '../data-url.js';
import { InnerJson } from '../json-object.js';
import { readPlacedThinking } from './anthropic-reasoning.js';
import type {
  AnthropicMessage,
  AssistantBlock,
  ImageBlock,
  ImageMediaType,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserBlock,
} from './anthropic-types.js';
import { orderTurn } from './turn-order.js';

export interface AnthropicConversation {
  /** One block for each system or developer message, in their order. */
  readonly system: TextBlock[];
  /** Begins with a user turn; never two turns of one role in a row. */
  readonly messages: AnthropicMessage[];
}

// Anthropic wants a user turn first; a conversation may begin with an answer, or be nothing but instructions.
const openingTurn = 'Continue.';

/**
 * Translates the whole conversation.
 * @throws AppError naming the message that Anthropic could not be told.
 */
export function toAnthropicConversation(request: ChatRequest): AnthropicConversation {
  const system: TextBlock[] = [];
  const messages: AnthropicMessage[] = [];
  const toolCalls = new ToolCallLedger();
  const innerJson = new InnerJson();
  request.messages.forEach((message, index) => {
    const param = `messages[${index}]`;
    if (message.role !== 'tool') toolCalls.expectNoneOpen();
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(...toTextBlocks(message, param).filter(isNotBlank));
        break;
      case 'user':
        appendUser(messages, toBlocks(message.content, param).filter(isNotBlank));
        break;
      case 'assistant':
        appendAssistant(messages, toAssistantBlocks(message, { request, param, toolCalls, innerJson }));
        break;
      case 'tool':
        appendUser(messages, [toToolResult(message, toolCalls.close(message.tool_call_id, param), param)]);
        break;
      case 'function':
        throw invalid(param, "A message of role 'function' must follow the 'function_call' that it answers.");
    }
  });
  toolCalls.expectNoneOpen();
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [{ type: 'text', text: openingTurn }] });
  trimPrefill(messages);
  return { system, messages };
}

/** Pairs calls and results, and gives each call an id that Anthropic takes and that is used only once. */
class ToolCallLedger {
  readonly #usedIds = new Set<string>();
  /** What was last put behind an id to tell it from its namesakes. */
  readonly #lastCounts = new Map<string, number>();
  #open = new Map<string, string>();
  #openParam = '';

  open(id: string, param: string): string {
    const plainId = id.replaceAll(/[^A-Za-z0-9_-]/g, '_') || 'call';
    let upstreamId = plainId;
    let count = this.#lastCounts.get(plainId) ?? 1;
    while (this.#usedIds.has(upstreamId)) {
      count += 1;
      upstreamId = `${plainId}_${count}`;
    }
    this.#lastCounts.set(plainId, count);
    this.#usedIds.add(upstreamId);
    this.#open.set(id, upstreamId);
    this.#openParam = param;
    return upstreamId;
  }

  close(id: string | undefined, param: string): string {
    const upstreamId = this.#open.get(id ?? '');
    if (upstreamId === undefined) {
      throw invalid(
        `${param}.tool_call_id`,
        "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
      );
    }
    this.#open.delete(id ?? '');
    return upstreamId;
  }

  expectNoneOpen(): void {
    if (this.#open.size === 0) return;
    const ids = [...this.#open.keys()].join(', ');
    throw invalid(
      `${this.#openParam}.tool_calls`,
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following ids have no response: ${ids.slice(0, 200)}.`,
    );
  }
}

function toTextBlocks({ content }: ChatMessage, param: string): TextBlock[] {
  return toBlocks(content, param).map((block, index) => {
    if (block.type === 'text') return block;
    throw unsupported(`${param}.content[${index}]`, 'Instructions are text; send images in a user message.');
  });
}

function toToolResult(message: ChatMessage, toolUseId: string, param: string): ToolResultBlock {
  const content = toBlocks(message.content, param).filter(isNotBlank);
  return { type: 'tool_result', tool_use_id: toolUseId, ...(content.length > 0 ? { content } : {}) };
}

interface AssistantContext {
  readonly request: ChatRequest;
  readonly param: string;
  readonly toolCalls: ToolCallLedger;
  readonly innerJson: InnerJson;
}

function toAssistantBlocks(message: ChatMessage, context: AssistantContext): AssistantBlock[] {
  const { request, param, toolCalls, innerJson } = context;
  const texts = toTextBlocks(message, param);
  if (message.refusal) texts.push({ type: 'text', text: message.refusal });
  const calls = (message.tool_calls ?? []).map((call): ToolUseBlock => {
    const { name, arguments: text } = call.function;
    return { type: 'tool_use', id: toolCalls.open(call.id, param), name, input: readArguments(text, innerJson) };
  });
  const thinking = readPlacedThinking(message.reasoning_details, request.model);
  return orderTurn({ thinking, texts, calls, callIds: (message.tool_calls ?? []).map(({ id }) => id) });
}

// A model may have written arguments that do not parse; it should see them again rather than the call fail.
function readArguments(text: string, innerJson: InnerJson): Record<string, unknown> {
  if (text.trim() === '') return {};
  return innerJson.parseObject(text) ?? { _raw: text };
}

// Anthropic refuses blocks of nothing but blanks.
function isNotBlank(block: TextBlock | ImageBlock): boolean {
  return block.type !== 'text' || block.text.trim() !== '';
}

function toBlocks(content: ChatMessage['content'], param: string): (TextBlock | ImageBlock)[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part, index) => toBlock(part, `${param}.content[${index}]`));
}

function toBlock(part: ContentPart, param: string): TextBlock | ImageBlock {
  const control = part.type !== 'refusal' && part.cache_control ? { cache_control: part.cache_control } : {};
  if (part.type === 'image_url') {
    return { ...toImageBlock(part.image_url.url, `${param}.image_url.url`), ...control };
  }
  return { type: 'text', text: part.type === 'text' ? part.text : part.refusal, ...control };
}

const imageMediaTypes: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

// Only images are priced here: a PDF in the place of an image would count far more tokens than the hold covers.
function toImageBlock(url: string, param: string): ImageBlock {
  const image = findBase64(url);
  if (image !== null) {
    const { data } = image;
    const mediaTypeInLowerCase = image.mediaType.toLowerCase();
    if (!imageMediaTypes.includes(mediaTypeInLowerCase)) {
      throw unsupported(param, 'Send a JPEG, PNG, GIF or WebP image.');
    }
    return { type: 'image', source: { type: 'base64', media_type: mediaTypeInLowerCase as ImageMediaType, data } };
  }
  if (/^https:\/\//i.test(url)) return { type: 'image', source: { type: 'url', url } };
  throw unsupported(param, 'Send the image as an https address, or as a data URL in base64.');
}

function appendUser(messages: AnthropicMessage[], blocks: readonly UserBlock[]): void {
  const last = messages.at(-1);
  if (last?.role === 'user') last.content.push(...blocks);
  else if (blocks.length > 0) messages.push({ role: 'user', content: [...blocks] });
}

function appendAssistant(messages: AnthropicMessage[], blocks: readonly AssistantBlock[]): void {
  const last = messages.at(-1);
  if (last?.role === 'assistant') last.content.push(...blocks);
  else if (blocks.length > 0) messages.push({ role: 'assistant', content: [...blocks] });
}

// An answer that the model is to continue may not end in a blank.
function trimPrefill(messages: readonly AnthropicMessage[]): void {
  const last = messages.at(-1);
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined;
  if (block?.type === 'text') block.text = block.text.trimEnd();
}

/** Whether the turn in progress called tools, and came back without the thinking that led to those calls. */
export function isThinkingLost(messages: readonly AnthropicMessage[]): boolean {
  const lastQuestion = messages.findLastIndex(
    ({ role, content }) => role === 'user' && !content.some(({ type }) => type === 'tool_result'),
  );
  const blocks = messages.slice(lastQuestion + 1).flatMap(({ content }): { type: string }[] => content);
  const hasThinking = blocks.some(({ type }) => type === 'thinking' || type === 'redacted_thinking');
  return blocks.some(({ type }) => type === 'tool_use') && !hasThinking;
}

function invalid(param: string, message: string): AppError {
  return new AppError('invalid_value', message, { param });
}

function unsupported(param: string, remedy: string): AppError {
  return new AppError('unsupported_value', `Unsupported value: '${param}' cannot be sent to this model. ${remedy}`, {
    param,
  });
}
