import { isJsonObject, type JsonBody } from '../kernel/json-body.js';
import { innerJsonLimits, JsonGauge } from '../kernel/json-gauge.js';

/** Whether a field that would hold an error holds one: some providers write an empty one beside every answer. */
export function isErrorTold(error: unknown): boolean {
  if (isJsonObject(error)) return Object.values(error).some(Boolean);
  return Boolean(error) && !(Array.isArray(error) && error.length === 0);
}

/**
 * Arguments of a call as the text that they are on OpenAI's wire; '' for none, as for an empty list, by which PHP writes an empty object.
 * They come as an object or as its text, whichever a provider documents; of any other kind they are kept as the JSON that they are.
 */
export function normaliseArguments(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return '';
  return JSON.stringify(value);
}

/** JSON that was parsed already. */
export class ParsedJson {
  /** @param value undefined: it was no list and no object, or no JSON. */
  constructor(readonly value: unknown) {}
}

/** The value of JSON that is text, or was parsed already; undefined for what is none. The parser's message is not kept, because it quotes the text. */
export function parseJson(text: string | ParsedJson): unknown {
  return text instanceof ParsedJson ? text.value : parse(text);
}

/** Parses the text of a JSON object; null when it is none. */
export function parseObject(text: string | ParsedJson): Record<string, unknown> | null {
  const value = parseJson(text);
  return isJsonObject(value) ? value : null;
}

/** The objects of a list, or a single one without a list. @param ofText What a text in the place of one means; left out: nothing. */
export function listObjects(value: unknown, ofText?: (text: string) => JsonBody): readonly JsonBody[] {
  return (Array.isArray(value) ? value : [value])
    .map((item: unknown) => (typeof item === 'string' ? ofText?.(item) : item))
    .filter(isJsonObject);
}

const innerLevelsMax = 48;

/**
 * Parses JSON that stands as text inside of one request: the arguments of its calls, the answers of its tools. The request was
 * checked, but not what is in its texts, so all of them together may have 4 MB and 25,000 values, and 48 levels each: whoever
 * writes more wants to keep us busy.
 */
export class InnerJson {
  #charactersLeft: number = innerJsonLimits.charactersMax;
  #valuesLeft: number = innerJsonLimits.valuesMax;

  /** @returns undefined for what is no JSON, or too much. */
  parse(text: string): unknown {
    if (text.length > this.#charactersLeft) return undefined;
    const gauge = new JsonGauge({ valuesMax: this.#valuesLeft, levelsMax: innerLevelsMax });
    gauge.push(Buffer.from(text));
    if (gauge.excess !== null) return undefined;
    this.#charactersLeft -= text.length;
    this.#valuesLeft -= gauge.values;
    return parse(text);
  }

  /** As `parse`; null for what is no object. */
  parseObject(text: string): Record<string, unknown> | null {
    const value = this.parse(text);
    return isJsonObject(value) ? value : null;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
