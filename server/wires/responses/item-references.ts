import { AppError } from '../../kernel/app-error.js';
import { isJsonObject, type JsonBody, toText } from '../../kernel/json-body.js';

/*
 * Some clients send the id of an item in the place of what an earlier answer had, because they believe that it is stored. The id of
 * an item is that of its answer, with the item's place behind it.
 */

/** By the answer's id: its items as `writeOutput` wrote them. */
export type EarlierOutputs = ReadonlyMap<string, string>;

const itemIds = /^(?:msg|rs|fc|ctc)_([0-9A-Z]{26})\d{1,4}$/;
const quotedItemIds = /"(?:msg|rs|fc|ctc)_([0-9A-Z]{26})\d{1,4}"/g;
const referenceType = 'item_reference';
/** More than a conversation has within the time that items are kept. */
const answersMax = 1_000;
/** Of all that one request refers to, in characters of JSON. */
export const referredCharactersMax = 8 * 1024 * 1024;

/**
 * Counts what a body may refer to, before it is parsed: how often it has an id of an item of each answer, whatever stands around
 * it. A body without references has none.
 * @param text The body or, of a long one, a part of it.
 */
export function countAnswersNamedIn(text: string, counts: Map<string, number>): void {
  for (const [, answerId = ''] of text.matchAll(quotedItemIds)) {
    if (counts.size < answersMax || counts.has(answerId)) counts.set(answerId, (counts.get(answerId) ?? 0) + 1);
  }
}

/** Whether a part of a body may have references in it. */
export function mayHaveReferences(part: string | Buffer): boolean {
  return part.includes(referenceType);
}

/**
 * What of an answer's items is worth keeping, as JSON: what `readInputItems` reads of them.
 * @returns null when that is more than `charactersMax`, or nothing.
 */
export function writeOutput(output: readonly JsonBody[], charactersMax: number): string | null {
  const items = output.map(pickFields);
  const characters = items.reduce((sum, item) => sum + countCharacters(item), 0);
  // Measured before it is written, since writing a long one takes a while.
  if (items.length === 0 || characters > charactersMax) return null;
  const json = JSON.stringify(items);
  return json.length > charactersMax ? null : json;
}

/**
 * Puts the items of earlier answers in the place of references to them. References to reasoning that is gone stay, and are
 * passed over: it is not needed to go on.
 * @throws AppError `invalid_value` naming the reference to anything else that is gone, or that makes the request too long.
 */
export function resolveReferences(input: unknown, earlier: EarlierOutputs): unknown {
  if (!Array.isArray(input) || !input.some(isReference)) return input;
  const known = new Map<string, Map<unknown, KnownItem>>();
  let characters = 0;
  return input.map((item: unknown, index) => {
    if (!isReference(item)) return item;
    const place = `input[${index}].id`;
    const [, answerId = ''] = itemIds.exec(toText(item.id).slice(0, 64)) ?? [];
    const items = known.get(answerId) ?? readOutput(earlier.get(answerId));
    known.set(answerId, items);
    const found = items.get(item.id);
    if (found === undefined) {
      if (isOfReasoning(item)) return item;
      throw notKept(place);
    }
    characters += found.characters;
    if (characters > referredCharactersMax) throw tooMuch(place);
    return found.item;
  });
}

function isReference(item: unknown): item is JsonBody {
  return isJsonObject(item) && item.type === referenceType;
}

function isOfReasoning({ id }: JsonBody): boolean {
  return typeof id === 'string' && id.startsWith('rs_');
}

/** The refusal of a reference that stands for nothing that is here. */
export function notKept(param: string): AppError {
  return new AppError(
    'invalid_value',
    `Invalid '${param}': this item of an earlier answer is not kept here, or no longer. Items are kept for a short while, for the API key that asked. Send the whole conversation in 'input' (AI SDK: \`store: false\`).`,
    { param },
  );
}

function tooMuch(param: string): AppError {
  return new AppError(
    'invalid_value',
    `Invalid '${param}': the items that 'input' refers to have more than ${referredCharactersMax / 1024 / 1024} MB. Send the conversation itself, or less of it.`,
    { param },
  );
}

interface KnownItem {
  readonly item: JsonBody;
  readonly characters: number;
}

function readOutput(json: string | undefined): Map<unknown, KnownItem> {
  const items = json === undefined ? [] : (JSON.parse(json) as JsonBody[]);
  return new Map(items.map((item) => [item.id, { item, characters: countCharacters(item) }]));
}

const keptFields = ['id', 'type', 'role', 'call_id', 'name', 'namespace', 'arguments', 'input', 'encrypted_content'];

function pickFields(item: JsonBody): JsonBody {
  const fields = keptFields.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]);
  const content = Array.isArray(item.content) ? { content: item.content.filter(isJsonObject).map(pickText) } : {};
  return { ...Object.fromEntries(fields), ...content };
}

function pickText({ type, text, refusal }: JsonBody): JsonBody {
  return refusal === undefined ? { type, text } : { type, refusal };
}

function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  return Object.values(value).reduce((sum: number, item) => sum + 8 + countCharacters(item), 0);
}
