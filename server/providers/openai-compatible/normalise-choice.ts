import type { AppError } from '../../kernel/app-error.js';
import { isJsonObject, toText } from '../../kernel/json-body.js';
import type { FinishReason, ToolCall } from '../chat-types.js';
import { type AnswerSoFar, isStumble } from '../gemini/gemini-finish-reason.js';
import { readSignature, toExtras } from '../gemini/thought-signatures.js';
import { normaliseArguments } from '../json-object.js';
import { createModelError } from '../upstream-error.js';

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  function_call: 'function_call',
  max_tokens: 'length',
  model_length: 'length',
  tool_use: 'tool_calls',
  safety: 'content_filter',
};

/**
 * Brings a finish reason into OpenAI's five, since strict clients refuse any other. What a provider invents counts as `stop`, and what it
 * writes behind a colon is left out. Because a client would take them for success, two are told apart: what says that the provider
 * `failed`, and a model of Google's that `stumbled` over a tool and had said nothing.
 */
export function normaliseFinishReason(
  reason: string,
  { hasCalls, hasWords }: AnswerSoFar,
): FinishReason | 'failed' | 'stumbled' {
  if (/error|insufficient_system_resource/.test(reason)) return 'failed';
  if (isStumble(reason) && !hasCalls && !hasWords) return 'stumbled';
  const [word = ''] = reason.split(':', 1);
  const known = Object.hasOwn(finishReasons, word) ? (finishReasons[word] ?? 'stop') : 'stop';
  return known === 'stop' && hasCalls ? 'tool_calls' : known;
}

/** The end of a choice whose model made an invalid tool call. @param reason The provider's word for it, of which only a known form is kept. */
export function createStumbleError(providerId: string, reason: string): AppError {
  const known = /^[\w: ]{1,100}$/.test(reason) ? ` ${reason}` : '';
  return createModelError(providerId, `finish_reason${known}`);
}

/** Whether a message, or a delta, says anything: text, a refusal or images. Thoughts and calls of tools are no words. */
export function hasWords({ content, refusal, images }: Record<string, unknown>): boolean {
  return Boolean(content || refusal) || (Array.isArray(images) && images.length > 0);
}

/**
 * What a choice says: its message or delta, or in the place of one the `text` of old completions, as some servers write it. Takes a count of
 * the choice alone out, which is another than the one that is billed.
 * @param said The message or delta.
 * @returns null: neither is there.
 */
export function takeSaid(choice: Record<string, unknown>, said: unknown): Record<string, unknown> | null {
  if (choice.usage !== undefined) choice.usage = undefined;
  if (isJsonObject(said)) return said;
  const { text } = choice;
  if (typeof text !== 'string') return null;
  choice.text = undefined;
  return { content: text };
}

/** Reasoning by names that clients do not read: GitHub's, and Ollama's on its own wire, which some gateways hand on. */
const otherThoughts = ['reasoning_text', 'thinking'] as const;

/**
 * Brings what a message or a delta says into the fields that clients read, in its place: a content that is a list of parts, as
 * Mistral's reasoning models send it, into text, `reasoning_content` and `images`; a number into text; reasoning by another name into
 * `reasoning_content`. An empty `reasoning_content` no longer hides `reasoning`.
 */
export function normaliseWords(piece: Record<string, unknown>): void {
  const { content } = piece;
  if (typeof content === 'object' && content !== null) spreadParts(piece, content);
  else if (typeof content === 'number') piece.content = toText(content);
  if (piece.reasoning_content === '' && typeof piece.reasoning === 'string' && piece.reasoning !== '')
    piece.reasoning_content = undefined;
  for (const name of otherThoughts) {
    const thought = piece[name];
    if (typeof thought !== 'string' || thought === '') continue;
    if (!piece.reasoning_content && !piece.reasoning) piece.reasoning_content = thought;
    piece[name] = undefined;
  }
}

function spreadParts(piece: Record<string, unknown>, content: object): void {
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  piece.content = joinTexts(parts);
  const thoughts = parts.filter((part) => isJsonObject(part) && part.type === 'thinking') as Record<string, unknown>[];
  const thought = thoughts.map(({ thinking }) => joinTexts(Array.isArray(thinking) ? thinking : [thinking])).join('');
  if (thought !== '') piece.reasoning_content ||= thought;
  const images = parts.filter((part) => isJsonObject(part) && part.type === 'image_url');
  if (images.length > 0) piece.images = [...(Array.isArray(piece.images) ? piece.images : []), ...images];
}

function joinTexts(parts: readonly unknown[]): string {
  return parts
    .map((part) => (isJsonObject(part) ? part.text : part))
    .filter((text) => typeof text === 'string')
    .join('');
}

/**
 * Complete tool calls, each with an id that no other has and with arguments that parse: a call without arguments has `{}`.
 * @param answerId Makes the ids of calls that their provider gave none.
 */
export function normaliseToolCalls(calls: readonly unknown[], answerId: string): ToolCall[] {
  const ids = new Set<string>();
  return calls.filter(isJsonObject).map((call, index) => {
    const { name, arguments: text } = readCallTarget(call.function);
    const isOwn = typeof call.id === 'string' && call.id !== '' && !ids.has(call.id);
    const id = isOwn ? toText(call.id) : `${answerId}_${index}`;
    ids.add(id);
    const target = { name, arguments: text.trim() === '' ? '{}' : text };
    return { id, type: 'function', function: target, ...toExtras(readSignature(call.extra_content)) };
  });
}

/** The name of a call, or of a piece of one, and its arguments as the text that they are on OpenAI's wire; '' where there are none. */
export function readCallTarget(target: unknown): { readonly name: string; readonly arguments: string } {
  const { name, arguments: value } = isJsonObject(target) ? target : {};
  return { name: typeof name === 'string' ? name : '', arguments: normaliseArguments(value) };
}
