import type { AppError } from '../../kernel/app-error.js';
import { isJsonObject, isSent, type JsonBody, toText } from '../../kernel/json-body.js';
import { measureOutput } from '../answers/other-output.js';
import type { FinishReason, ToolCall } from '../chat-types.js';
import { type AnswerSoFar, isStumble } from '../gemini/gemini-finish-reason.js';
import { readSignature, toExtras } from '../gemini/thought-signatures.js';
import { createModelError } from '../upstream-error.js';
import { readCallTarget } from './call-forms.js';

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
 * What a choice says: its message or delta, which may be its words alone; or, where nothing is said in one, the `text` of old completions, as
 * some servers write it. Takes a count of the choice alone out, which is another than the one that is billed.
 * @param said The message or delta.
 * @returns null: neither is there.
 */
export function takeSaid(choice: Record<string, unknown>, said: unknown): Record<string, unknown> | null {
  if (choice.usage !== undefined) choice.usage = undefined;
  const { text } = choice;
  if (isJsonObject(said) && (typeof text !== 'string' || text === '' || measureOutput(said) > 0)) return said;
  if (typeof said === 'string' || Array.isArray(said)) return { content: said };
  if (typeof text !== 'string') return null;
  choice.text = undefined;
  return isJsonObject(said) ? Object.assign(said, { content: text }) : { content: text };
}

/** Reasoning by names that clients do not read: GitHub's, and Ollama's on its own wire, which some gateways hand on. */
const otherThoughts = ['reasoning_text', 'thinking'] as const;

/** What clients read as text. */
const textFields: ReadonlySet<string> = new Set(['refusal', 'reasoning', 'reasoning_content', ...otherThoughts]);
/** What clients read as a list of objects. */
const listFields: ReadonlySet<string> = new Set(['images', 'reasoning_details']);

/**
 * Brings what a message or a delta says into the fields that clients read, in its place: a content that is a list of parts, as
 * Mistral's reasoning models send it, into text, `reasoning_content` and `images`, and what else is in it into `other_parts`; a number or a
 * truth value into text; reasoning by another name into `reasoning_content`. An empty `reasoning_content` does not hide `reasoning`.
 */
export function normaliseWords(piece: Record<string, unknown>): void {
  const { content } = piece;
  if (typeof content === 'object' && content !== null) spreadParts(piece, content);
  else if (typeof content === 'number' || typeof content === 'boolean')
    // Beside calls, `false` is how some write that there are no words.
    piece.content = content === false && isSent(piece.tool_calls) ? null : toText(content);
  for (const name in piece) {
    const value = piece[name];
    if (value === undefined || value === null || value === '') continue;
    if (listFields.has(name)) normaliseList(piece, name);
    else if (typeof value !== 'string' && textFields.has(name)) piece[name] = toWords(value);
  }
  if (piece.reasoning_content === '' && typeof piece.reasoning === 'string' && piece.reasoning !== '')
    piece.reasoning_content = undefined;
  for (const name of otherThoughts) {
    const thought = piece[name];
    if (typeof thought !== 'string' || thought === '') continue;
    if (!piece.reasoning_content && !piece.reasoning) piece.reasoning_content = thought;
    piece[name] = undefined;
  }
}

/** Keeps what was made and fits into no field of a message or a delta in its `other_parts`. */
export function keepOthers(piece: Record<string, unknown>, others: readonly unknown[]): void {
  if (others.length === 0 || measureOutput(others) === 0) return;
  piece.other_parts = [...(Array.isArray(piece.other_parts) ? piece.other_parts : []), ...others];
}

// A truth value says whether there are any, and is none.
function toWords(value: unknown): string | undefined {
  if (typeof value === 'boolean') return undefined;
  if (typeof value !== 'object') return toText(value);
  const words = joinTexts(Array.isArray(value) ? value : [value]);
  return words === '' && measureOutput(value) > 0 ? JSON.stringify(value) : words;
}

function normaliseList(piece: Record<string, unknown>, name: string): void {
  const value = piece[name];
  if (Array.isArray(value) || isJsonObject(value)) {
    // An image is charged whatever its size, so one with nothing in it must be none.
    const items = [value].flat().filter((item) => name !== 'images' || measureOutput(item) > 0);
    piece[name] = items.length > 0 ? items : undefined;
    return;
  }
  piece[name] = undefined;
  keepOthers(piece, [value]);
}

function spreadParts(piece: Record<string, unknown>, content: object): void {
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  piece.content = joinTexts(parts);
  keepOthers(
    piece,
    parts.filter((part) => typeof part === 'object' && !isKnownPart(part)),
  );
  const thoughts = parts.filter((part) => isJsonObject(part) && part.type === 'thinking') as Record<string, unknown>[];
  const thought = thoughts.map(({ thinking }) => joinTexts(Array.isArray(thinking) ? thinking : [thinking])).join('');
  if (thought !== '') piece.reasoning_content ||= thought;
  const images = parts.filter((part) => isJsonObject(part) && part.type === 'image_url');
  if (images.length > 0) piece.images = [...(Array.isArray(piece.images) ? piece.images : []), ...images];
}

function isKnownPart(part: unknown): boolean {
  return isJsonObject(part) && (part.type === 'thinking' || part.type === 'image_url' || isPlain(part.text));
}

function joinTexts(parts: readonly unknown[]): string {
  return parts
    .map((part) => (isJsonObject(part) ? part.text : part))
    .filter(isPlain)
    .map(toText)
    .join('');
}

// A text, or what is one in other words.
function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Whether a call has a name or arguments; what has neither is none. */
export function isCall(call: JsonBody): boolean {
  const { name, arguments: text } = readCallTarget(call);
  return name !== '' || text.trim() !== '';
}

/**
 * Complete tool calls, each with an id that no other has and with arguments that parse: a call without arguments has `{}`.
 * @param answerId Makes the ids of calls that their provider gave none.
 */
export function normaliseToolCalls(calls: readonly JsonBody[], answerId: string): ToolCall[] {
  const ids = new Set<string>();
  return calls.map((call, index) => {
    const { name, arguments: text } = readCallTarget(call);
    const isOwn = typeof call.id === 'string' && call.id !== '' && !ids.has(call.id);
    const id = isOwn ? toText(call.id) : `${answerId}_${index}`;
    ids.add(id);
    const target = { name, arguments: text.trim() === '' ? '{}' : text };
    return { id, type: 'function', function: target, ...toExtras(readSignature(call.extra_content)) };
  });
}
