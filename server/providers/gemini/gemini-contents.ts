import { AppError } from '../../kernel/app-error.js';
import { assertNever } from '../../kernel/assert.js';
import type { ChatMessage, ContentPart, ImagePart, ToolCall } from '../chat-types.js';
import { findBase64 } from '../data-url.js';
import { InnerJson } from '../json-object.js';
import type { GeminiFamily } from './gemini-models.js';
import { createUntranslatableError } from './gemini-refusal.js';
import type {
  GeminiContent,
  GeminiDataPart,
  GeminiFunctionCallPart,
  GeminiFunctionResponsePart,
  GeminiPart,
  GeminiTextPart,
} from './gemini-wire.js';
import { findSentSignatures } from './thought-signatures.js';

export interface GeminiConversation {
  readonly systemInstruction?: { readonly parts: readonly GeminiTextPart[] };
  readonly contents: readonly GeminiContent[];
}

interface Turn {
  readonly role: GeminiContent['role'];
  readonly parts: GeminiPart[];
}

/**
 * Translates a conversation: every system message, in order, becomes the system instruction; neighbours of one role become
 * one turn, so that the results of parallel calls stand together, and behind them the images among these; the name of a tool, which Google wants with its result,
 * is taken from the call. A caller's `name` of a participant has no counterpart and stays out.
 * @throws AppError naming the message or part that cannot be translated.
 */
export function toGeminiConversation(messages: readonly ChatMessage[], family: GeminiFamily): GeminiConversation {
  const system: GeminiTextPart[] = [];
  const turns: Turn[] = [];
  const toolNames = new Map<string, string>();
  const innerJson = new InnerJson();
  const toolImages: GeminiPart[] = [];
  messages.forEach((message, index) => {
    const place = `messages[${index}]`;
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(...toTextParts(message, place));
        return;
      case 'user':
        addTurn(turns, 'user', toUserParts(message, place));
        return;
      case 'assistant':
        for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name);
        addTurn(turns, 'model', [
          ...toTextParts(message, place),
          ...toCallParts(message.tool_calls ?? [], family, innerJson),
        ]);
        return;
      case 'tool':
      case 'function':
        addTurn(turns, 'user', [toResponsePart(message, place, { toolNames, innerJson })]);
        toolImages.push(...toImageParts(message, place));
        if (!isToolMessage(messages[index + 1])) addTurn(turns, 'user', toolImages.splice(0));
        return;
      default:
        assertNever(message.role);
    }
  });
  return placeSystem(system, turns, family.takesSystemInstruction);
}

// A conversation needs a turn, and some families take instructions only as a part of the first one.
function placeSystem(system: readonly GeminiTextPart[], turns: Turn[], takesSystem: boolean): GeminiConversation {
  if (system.length > 0 && takesSystem && turns.length > 0) {
    return { systemInstruction: { parts: system }, contents: turns };
  }
  if (system.length === 0 && turns.length === 0) {
    throw new AppError('invalid_value', "Invalid 'messages': none of them says anything.", { param: 'messages' });
  }
  const [first, ...others] = turns;
  if (system.length === 0) return { contents: turns };
  if (first?.role !== 'user') return { contents: [{ role: 'user', parts: system }, ...turns] };
  return { contents: [{ role: 'user', parts: [...system, ...first.parts] }, ...others] };
}

// Google refuses a turn without parts.
function addTurn(turns: Turn[], role: Turn['role'], parts: readonly GeminiPart[]): void {
  if (parts.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else turns.push({ role, parts: [...parts] });
}

function toUserParts(message: ChatMessage, place: string): GeminiPart[] {
  if (!Array.isArray(message.content)) return toTextParts(message, place);
  return listParts(message).flatMap((part, index): GeminiPart[] => {
    if (part.type !== 'image_url') return toTextPart(part, `${place}.content[${index}]`);
    return [toDataPart(part, `${place}.content[${index}].image_url.url`)];
  });
}

function isToolMessage(message: ChatMessage | undefined): boolean {
  return message?.role === 'tool' || message?.role === 'function';
}

function toImageParts(message: ChatMessage, place: string): GeminiDataPart[] {
  return listParts(message).flatMap((part, index) =>
    part.type === 'image_url' ? [toDataPart(part, `${place}.content[${index}].image_url.url`)] : [],
  );
}

function toTextParts(message: ChatMessage, place: string): GeminiTextPart[] {
  const parts = listParts(message).flatMap((part, index) => toTextPart(part, `${place}.content[${index}]`));
  return message.refusal ? [...parts, { text: message.refusal }] : parts;
}

function listParts({ content }: ChatMessage): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content ?? [];
}

function toTextPart(part: ContentPart, place: string): GeminiTextPart[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ text: part.text }];
    case 'refusal':
      return part.refusal === '' ? [] : [{ text: part.refusal }];
    default:
      throw createUntranslatableError(
        place,
        `This provider takes only text at '${place}'. Send text there, and images in a user message.`,
      );
  }
}

// The types that Google documents. A document or a film in the place of an image would count without bound.
const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'];

function toDataPart({ image_url: { url } }: ImagePart, place: string): GeminiDataPart {
  const { mediaType: mimeType = '', data = '' } = findBase64(url) ?? {};
  if (imageTypes.includes(mimeType) && data !== '') return { inlineData: { mimeType, data } };
  const remedy = url.startsWith('data:')
    ? 'Send a PNG, JPEG, WebP, HEIC or HEIF in base64.'
    : 'Nothing is fetched from other addresses: send a data: URL.';
  throw createUntranslatableError(place, `This provider cannot take the image at '${place}'. ${remedy}`);
}

function toCallParts(calls: readonly ToolCall[], family: GeminiFamily, innerJson: InnerJson): GeminiFunctionCallPart[] {
  const signatures = findSentSignatures(calls, family);
  return calls.map((call, index) => {
    const { name, arguments: text } = call.function;
    const functionCall = { id: call.id, name, args: parseArguments(text, innerJson) };
    const thoughtSignature = signatures[index];
    return thoughtSignature === undefined ? { functionCall } : { functionCall, thoughtSignature };
  });
}

// What a model once wrote that is no object is still what it wrote.
function parseArguments(text: string, innerJson: InnerJson): Record<string, unknown> {
  return text.trim() === '' ? {} : (innerJson.parseObject(text) ?? { _raw: text });
}

function toResponsePart(
  message: ChatMessage,
  place: string,
  { toolNames, innerJson }: { toolNames: ReadonlyMap<string, string>; innerJson: InnerJson },
): GeminiFunctionResponsePart {
  const id = message.tool_call_id ?? '';
  const name = toolNames.get(id) ?? (message.role === 'function' ? message.name : undefined);
  if (name === undefined) {
    throw new AppError(
      'invalid_value',
      `Invalid '${place}.tool_call_id': no assistant message before it has a tool call with this id.`,
      { param: `${place}.tool_call_id` },
    );
  }
  const parts = listParts(message);
  const told = parts.flatMap((part, index) =>
    part.type === 'image_url' ? [] : toTextPart(part, `${place}.content[${index}]`),
  );
  const hasImageAlone = told.length === 0 && parts.some(({ type }) => type === 'image_url');
  const text = hasImageAlone ? 'See the image.' : told.map((part) => part.text).join('');
  const value = innerJson.parse(text);
  const output = typeof value === 'object' && value !== null ? value : text;
  return { functionResponse: { id, name, response: { output } } };
}
