import { AppError } from '../../kernel/app-error.js';
import { isJsonObject, type JsonBody, toText } from '../../kernel/json-body.js';
import { isImagePart } from '../image-part.js';
import { refuseUnnamed } from '../refuse-unnamed.js';
import { type KeptReasoning, ReasoningOpener } from '../sealed-reasoning.js';
import { notKept } from './item-references.js';
import { flatToolName } from './responses-tools.js';

/** Messages of the chat wire, each with the place of the item that it came from. */
export interface InputMessages {
  readonly messages: readonly JsonBody[];
  readonly places: readonly string[];
}

/**
 * Turns the items of `input` into messages. Calls that were made at once are items in a row there and one message here; the
 * answers of tools come right after the message that called, which every provider insists on, and images among them in a
 * message of the user, because few providers take them from a tool.
 * @throws AppError `invalid_type` or `unsupported_value`, naming the item.
 */
export function readInputItems(input: unknown): InputMessages {
  if (typeof input === 'string') return { messages: [{ role: 'user', content: input }], places: ['input'] };
  if (!Array.isArray(input)) {
    throw new AppError('invalid_type', "Invalid 'input': must be a string or an array.", { param: 'input' });
  }
  return new ItemReader(input).read();
}

interface PlacedMessage {
  readonly message: Record<string, unknown>;
  readonly place: string;
}

interface Turn extends PlacedMessage {
  /** Of a message with calls, by their ids: what the tools answered. */
  readonly answers: Map<unknown, PlacedMessage> | null;
  /** What comes after those answers. */
  readonly images: unknown[];
}

class ItemReader {
  readonly #turns: Turn[] = [];
  /** By the id of a call: the message that made it. */
  readonly #callers = new Map<unknown, Turn>();
  /** By the item: what it brings back. */
  readonly #kept = new Map<unknown, KeptReasoning>();
  readonly #signatures = new Map<string, string>();
  /** Thinking that belongs to the assistant's next message. */
  #details: JsonBody[] = [];
  #thought = '';
  /** Whether an answer that thought amid its words or calls goes on with the next item. */
  #goesOn = false;
  /** The calls of the last message, which grow in their place: copied for each further one, thousands would take minutes. */
  #openCalls: unknown[] | null = null;

  constructor(private readonly items: readonly unknown[]) {}

  read(): InputMessages {
    const opener = new ReasoningOpener();
    for (const item of this.items) {
      const kept = isJsonObject(item) && item.type === 'reasoning' ? opener.open(item.encrypted_content) : null;
      if (kept === null) continue;
      this.#kept.set(item, kept);
      for (const [callId, signature] of kept.signatures) this.#signatures.set(callId, signature);
    }
    for (const [index, item] of this.items.entries()) this.#take(item, `input[${index}]`);
    const placed = this.#turns.flatMap((turn) => [turn, ...answersOf(turn)]);
    return { messages: placed.map(({ message }) => message), places: placed.map(({ place }) => place) };
  }

  #take(item: unknown, place: string): void {
    if (!isJsonObject(item)) throw unknownItem(place);
    switch (item.type ?? 'message') {
      case 'message':
        this.#takeMessage(item, place);
        break;
      case 'function_call':
      case 'custom_tool_call':
        this.#takeCall(item, place);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#takeAnswer(item, place);
        break;
      case 'reasoning':
        this.#takeReasoning(this.#kept.get(item));
        break;
      case 'item_reference':
        // What was found stands in its place already; reasoning that is gone is not needed to go on.
        if (typeof item.id !== 'string' || !item.id.startsWith('rs_')) throw notKept(`${place}.id`);
        break;
      default:
        throw unknownItem(place);
    }
  }

  #takeReasoning(kept: KeptReasoning | undefined): void {
    const { details = [], text = '' } = kept ?? {};
    this.#thought += text;
    const last = this.#turns.at(-1)?.message;
    const isAmidAnswer = last?.role === 'assistant' && Number(toText(details[0]?.index)) > 0;
    this.#goesOn = isAmidAnswer || (this.#goesOn && details.length === 0);
    if (!isAmidAnswer) this.#details.push(...details);
    // Where it stood is told from the beginning of the message, which therefore must be one.
    else last.reasoning_details = grow(toList(last.reasoning_details), details);
  }

  #takeMessage({ role, content }: JsonBody, place: string): void {
    const last = this.#turns.at(-1)?.message;
    if (last !== undefined && this.#goesOn && role === 'assistant') {
      last.content = grow(toParts(last.content), toParts(toContent(content, `${place}.content`)));
      return;
    }
    this.#openCalls = null;
    this.#goesOn = false;
    this.#add({ role, content: toContent(content, `${place}.content`), ...this.#reasoningFor(role) }, place);
  }

  #takeCall(item: JsonBody, place: string): void {
    refuseUnnamed(item, ['call_id', 'name'], place);
    const id = item.call_id;
    const target = {
      name: flatToolName(item.namespace, item.name),
      arguments: item.arguments ?? JSON.stringify({ input: item.input }),
    };
    const signature = typeof id === 'string' ? this.#signatures.get(id) : undefined;
    const extra = signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };
    const call = { id, type: 'function', function: target, ...extra };
    const last = this.#turns.at(-1);
    if (this.#openCalls !== null && last !== undefined && this.#mayJoin(last)) {
      this.#openCalls.push(call);
      this.#callers.set(id, last);
      return;
    }
    this.#openCalls = [call];
    const calls = { tool_calls: this.#openCalls };
    const isJoined = last?.message.role === 'assistant' && last.answers === null && this.#details.length === 0;
    if (isJoined) this.#turns.pop();
    const message = isJoined ? { ...last.message, ...calls } : { role: 'assistant', ...calls };
    const turn = this.#add({ ...message, ...this.#reasoningFor('assistant') }, place, new Map());
    this.#callers.set(id, turn);
  }

  // Signed thinking that was told since then begins another answer.
  #mayJoin({ answers }: Turn): boolean {
    return this.#goesOn || (answers?.size === 0 && this.#details.length === 0);
  }

  #takeAnswer(item: JsonBody, place: string): void {
    this.#goesOn = false;
    const caller = this.#callers.get(item.call_id);
    if (caller === undefined) throw callMissing(`${place}.call_id`);
    const content = toContent(item.output, `${place}.output`);
    const parts = Array.isArray(content) ? content : [];
    const images = parts.filter(isImagePart);
    caller.images.push(...images);
    const rest = images.length === 0 ? content : parts.filter((part) => !isImagePart(part));
    const told = Array.isArray(rest) && rest.length === 0 ? (images.length > 0 ? 'See the image.' : '') : rest;
    caller.answers?.set(item.call_id, { message: { role: 'tool', tool_call_id: item.call_id, content: told }, place });
  }

  #reasoningFor(role: unknown): JsonBody {
    if (role !== 'assistant') return {};
    const [details, thought] = [this.#details, this.#thought];
    this.#details = [];
    this.#thought = '';
    return {
      ...(details.length > 0 ? { reasoning_details: details } : {}),
      ...(thought === '' ? {} : { reasoning_content: thought }),
    };
  }

  #add(message: JsonBody, place: string, answers: Turn['answers'] = null): Turn {
    const turn = { message, place, answers, images: [] };
    this.#turns.push(turn);
    return turn;
  }
}

// In the order of the calls. One without an answer was interrupted; providers refuse a gap.
function answersOf({ message, place, answers, images }: Turn): PlacedMessage[] {
  if (answers === null || !Array.isArray(message.tool_calls)) return [];
  const told = message.tool_calls.map(({ id }: { id: unknown }) => {
    const nothing = { role: 'tool', tool_call_id: id, content: 'No output.' };
    return answers.get(id) ?? { message: nothing, place };
  });
  return images.length === 0 ? told : [...told, { message: { role: 'user', content: images }, place }];
}

// In its place, where it is a list of ours: copied for each further item, long lists would hold whoever reads them.
function grow(list: unknown[], more: readonly unknown[]): unknown[] {
  for (const one of more) list.push(one);
  return list;
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function toParts(content: unknown): unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : toList(content);
}

function toContent(content: unknown, place: string): unknown {
  return Array.isArray(content) ? content.map((part, index) => toPart(part, `${place}[${index}]`)) : content;
}

function toPart(part: unknown, place: string): unknown {
  if (!isJsonObject(part)) return part;
  if (part.type === 'input_text' || part.type === 'output_text') return { type: 'text', text: part.text };
  if (part.type === 'input_image' && typeof part.image_url === 'string') {
    const detail = part.detail === 'original' ? 'high' : part.detail;
    return { type: 'image_url', image_url: { url: part.image_url, detail } };
  }
  if (part.type === 'input_image') {
    const param = `${place}.image_url`;
    const words = `Missing required parameter: '${param}'. Send the image as data, or its address; no files are kept here.`;
    throw new AppError('missing_required_parameter', words, { param });
  }
  return part;
}

function unknownItem(place: string): AppError {
  return new AppError(
    'unsupported_value',
    `Unsupported value: '${place}' is of a type that is not offered here. Send messages, function calls and their outputs.`,
    { param: place },
  );
}

function callMissing(param: string): AppError {
  return new AppError(
    'invalid_value',
    `Invalid '${param}': 'input' has no call with this id before it. Send the whole conversation in 'input' (AI SDK: \`store: false\`).`,
    { param },
  );
}
