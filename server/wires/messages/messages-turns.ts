import { AppError } from '../../kernel/app-error.js';
import { isJsonObject, isSent, type JsonBody, toText } from '../../kernel/json-body.js';
import { isImagePart } from '../image-part.js';
import { refuseUnnamed } from '../refuse-unnamed.js';
import { ReasoningOpener } from '../sealed-reasoning.js';

/** Messages of the chat wire, each with the place that it came from. */
export interface MessagesTurns {
  /** What is no list is left as it came, for the check of the whole body to refuse. */
  readonly turns: unknown;
  readonly places: readonly string[];
}

/** The first block of Claude Code's instructions, which changes with every version and tells a provider's billing who it is. */
const billingHeader = 'x-anthropic-billing-header:';

/** As many as of a whole message's parts. */
const blocksOfResultMax = 2_048;

/**
 * Turns `system` and `messages` into messages of chat completions: results of tools become messages of their own before the
 * rest of their turn, images in them a message of the user, and thinking what it was when it was told.
 * @throws AppError `unsupported_value`, naming the block that has no counterpart.
 */
export function readMessagesTurns({ system, messages }: JsonBody): MessagesTurns {
  if (!Array.isArray(messages)) return { turns: messages, places: [] };
  const opener = new ReasoningOpener();
  const turns: JsonBody[] = [];
  const places: string[] = [];
  const add = (message: JsonBody, place: string) => {
    turns.push(message);
    places.push(place);
  };
  if (isSent(system)) {
    const content = toInstructions(system);
    if (!Array.isArray(content) || content.length > 0) add({ role: 'system', content }, 'system');
  }
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}]`;
    for (const turn of isJsonObject(message) ? toTurns(message, place, opener) : [message])
      add(turn as JsonBody, place);
  }
  return { turns, places };
}

function toInstructions(system: unknown): unknown {
  if (!Array.isArray(system)) return system;
  return system
    .filter((block) => !isJsonObject(block) || !toText(block.text).startsWith(billingHeader))
    .map(toTextPart);
}

function toTextPart(block: unknown): unknown {
  if (!isJsonObject(block) || block.type !== 'text') return block;
  return { type: 'text', text: block.text, ...cacheControlOf(block) };
}

function toTurns({ role, content }: JsonBody, place: string, opener: ReasoningOpener): JsonBody[] {
  if (!Array.isArray(content)) return [{ role, content }];
  return role === 'assistant' ? [toAssistant(content, place, opener)] : toUserTurns(role, content, place);
}

function toUserTurns(role: unknown, blocks: readonly unknown[], place: string): JsonBody[] {
  const results: JsonBody[] = [];
  const rest: unknown[] = [];
  for (const [index, block] of blocks.entries()) {
    const at = `${place}.content[${index}]`;
    if (!isJsonObject(block) || block.type !== 'tool_result') rest.push(...toParts(block, at));
    else {
      const { message, images } = toToolMessage(block, at);
      results.push(message);
      rest.push(...images);
    }
  }
  return rest.length === 0 && results.length > 0 ? results : [...results, { role, content: rest }];
}

function toToolMessage(block: JsonBody, at: string): { message: JsonBody; images: unknown[] } {
  refuseUnnamed(block, ['tool_use_id'], at);
  const { tool_use_id: id, content, is_error: isError } = block;
  refuseLongContent(content, at);
  const given = Array.isArray(content)
    ? content.flatMap((part, index) => toParts(part, `${at}.content[${index}]`))
    : [{ type: 'text', text: content ?? '' }];
  const images = given.filter(isImagePart);
  const texts = given.filter((part) => !isImagePart(part));
  const parts = [...(isError === true ? [{ type: 'text', text: 'Error: ' }] : []), ...texts];
  const told = parts.length > 0 ? parts : [{ type: 'text', text: images.length > 0 ? 'See the image.' : '' }];
  const last = told.at(-1);
  // What is no block is left for the check of the whole body; of a text, this would make a member of each character.
  if (isJsonObject(last)) told[told.length - 1] = { ...last, ...cacheControlOf(block) };
  return { message: { role: 'tool', tool_call_id: id, content: told }, images };
}

function refuseLongContent(content: unknown, at: string): void {
  if (!Array.isArray(content) || content.length <= blocksOfResultMax) return;
  const param = `${at}.content`;
  const words = `Invalid '${param}': must have at most ${blocksOfResultMax.toLocaleString('en')} items. Send fewer.`;
  throw new AppError('invalid_value', words, { param });
}

function toParts(block: unknown, at: string): unknown[] {
  if (!isJsonObject(block)) return [block];
  switch (block.type) {
    case 'text':
      return [toTextPart(block)];
    case 'image':
      return [{ type: 'image_url', image_url: { url: toImageUrl(block.source, at) }, ...cacheControlOf(block) }];
    case 'document':
      return readDocument(block, at);
    case 'search_result':
      return readSearchResult(block, at);
    default:
      throw notOffered(`${at}.type`, 'Send text, images, and the results of tools.');
  }
}

function toImageUrl(source: unknown, at: string): unknown {
  if (isJsonObject(source) && source.type === 'base64')
    return `data:${toText(source.media_type)};base64,${toText(source.data)}`;
  if (isJsonObject(source) && source.type === 'url') return source.url;
  throw notOffered(`${at}.source`, 'Send the image as base64, or its https address.');
}

interface DocumentPart extends JsonBody {
  readonly type: 'text' | 'image_url';
  readonly text?: string;
}

/** The parts of a document: title, context and words in one text, and its images where they stand in it. */
function readDocument(document: JsonBody, at: string): JsonBody[] {
  refuseCitations(document, at);
  const { source, title, context } = document;
  const isText = (text: unknown) => typeof text === 'string' && text !== '';
  const heading = [title, context]
    .filter(isText)
    .map((text) => `${text}\n\n`)
    .join('');
  const [first, ...others] = readSource(source, `${at}.source`);
  const parts: JsonBody[] = [];
  if (first?.type === 'text') parts.push({ ...first, text: `${heading}${first.text}` }, ...others);
  else parts.push(...(heading === '' ? [] : [{ type: 'text', text: heading }]), ...(first ? [first] : []), ...others);
  const last = parts.at(-1);
  return last === undefined ? [] : [...parts.slice(0, -1), { ...last, ...cacheControlOf(document) }];
}

// A PDF counts more tokens than can be told from its size.
function readSource(source: unknown, at: string): DocumentPart[] {
  if (isJsonObject(source) && source.type === 'text') return [{ type: 'text', text: toText(source.data) }];
  if (isJsonObject(source) && source.type === 'content') return readContent(source.content, at);
  throw notOffered(at, 'Send the document as text; files have no price here.');
}

// Texts in a row become one.
function readContent(content: unknown, at: string): DocumentPart[] {
  refuseLongContent(content, at);
  if (!Array.isArray(content)) return [{ type: 'text', text: typeof content === 'string' ? content : '' }];
  const parts: DocumentPart[] = [];
  for (const [index, block] of content.entries()) {
    const place = `${at}.content[${index}]`;
    const last = parts.at(-1);
    if (isJsonObject(block) && block.type === 'image') {
      parts.push({ type: 'image_url', image_url: { url: toImageUrl(block.source, place) } });
    } else if (!isJsonObject(block) || block.type !== 'text' || typeof block.text !== 'string') {
      throw notOffered(place, 'Send text and images.');
    } else if (last?.type === 'text') parts[parts.length - 1] = { ...last, text: `${last.text}\n${block.text}` };
    else parts.push({ type: 'text', text: block.text });
  }
  return parts;
}

function readSearchResult(result: JsonBody, at: string): JsonBody[] {
  refuseCitations(result, at);
  const { title, source, content } = result;
  const [words, other] = readContent(content, at);
  if (other !== undefined || words?.type === 'image_url') throw notOffered(`${at}.content`, 'Send text.');
  const text = [title, source, words?.text].filter((line) => typeof line === 'string').join('\n');
  return [{ type: 'text', text, ...cacheControlOf(result) }];
}

// The answer would have none.
function refuseCitations({ citations }: JsonBody, at: string): void {
  if (isJsonObject(citations) && citations.enabled === true) {
    throw notOffered(`${at}.citations`, 'Leave it out, or ask for quotations in words.');
  }
}

function toAssistant(blocks: readonly unknown[], place: string, opener: ReasoningOpener): JsonBody {
  const content: unknown[] = [];
  const calls: JsonBody[] = [];
  const details: JsonBody[] = [];
  const signatures = new Map<string, string>();
  let thought = '';
  for (const [index, block] of blocks.entries()) {
    if (!isJsonObject(block)) content.push(block);
    else if (block.type === 'text') content.push(toTextPart(block));
    else if (block.type === 'tool_use') {
      refuseUnnamed(block, ['id', 'name'], `${place}.content[${index}]`);
      calls.push(block);
    } else if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      // What another service signed means nothing to the model that is asked now.
      const kept = opener.open(block.type === 'thinking' ? block.signature : block.data);
      details.push(...(kept?.details ?? []));
      if (kept?.details.length === 0 && typeof block.thinking === 'string') thought += block.thinking;
      for (const [callId, signature] of kept?.signatures ?? []) signatures.set(callId, signature);
    } else throw notOffered(`${place}.content[${index}].type`, 'Send text, thinking and calls of tools.');
  }
  return {
    role: 'assistant',
    content: content.length > 0 ? content : null,
    ...(calls.length > 0 ? { tool_calls: calls.map((call) => toChatCall(call, signatures)) } : {}),
    ...(details.length > 0 ? { reasoning_details: details } : {}),
    ...(thought === '' ? {} : { reasoning_content: thought }),
  };
}

function toChatCall({ id, name, input }: JsonBody, signatures: ReadonlyMap<string, string>): JsonBody {
  const signature = typeof id === 'string' ? signatures.get(id) : undefined;
  const extra = signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) }, ...extra };
}

function cacheControlOf({ cache_control: control }: JsonBody): JsonBody {
  return isSent(control) ? { cache_control: control } : {};
}

function notOffered(param: string, remedy: string): AppError {
  return new AppError('unsupported_value', `Unsupported value: '${param}' is not offered here. ${remedy}`, { param });
}
