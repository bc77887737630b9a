/** What a JSON text may have in it at most. */
export interface JsonLimits {
  /** Items of lists and members of objects together, and the lists and objects themselves. */
  readonly valuesMax: number;
  readonly levelsMax: number;
}

/**
 * What of the JSON that stands as text inside of one request, in arguments of calls and answers of tools, is read: no more than so
 * many characters and values, all of it together. What is more stays the text that it is.
 */
export const innerJsonLimits = { charactersMax: 4 * 1024 * 1024, valuesMax: 25_000 } as const;

/** Which limit a text has passed. */
export type JsonExcess = 'values' | 'levels';

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
// Longer texts inside of the JSON are skipped by the native search, which has a cost of its own.
const searchedByHand = 32;

/**
 * Bounds what JSON.parse could make of a text, from its bytes alone and before it is parsed: an upper bound of its values and
 * of its nesting. Takes the bytes in whatever pieces they come, at about a nanosecond each and less inside of long texts. What
 * is no JSON is bounded as well, and left for the parser to refuse.
 */
export class JsonGauge {
  #values = 1;
  #level = 0;
  #excess: JsonExcess | null = null;
  #isInText = false;
  #isEscaped = false;

  constructor(private readonly limits: JsonLimits) {}

  /** At least as many values as the text so far has. */
  get values(): number {
    return this.#values;
  }

  /** The limit that was passed first; null: none. */
  get excess(): JsonExcess | null {
    return this.#excess;
  }

  /** Whether every text, list and object so far has come to its end, so that nothing but blanks can follow an object. */
  get isClosed(): boolean {
    return this.#level === 0 && !this.#isInText;
  }

  /** Takes the next bytes of the text, in UTF-8. */
  push(bytes: Uint8Array): void {
    const { length } = bytes;
    const { levelsMax } = this.limits;
    // In locals, since this runs over every byte.
    let values = this.#values;
    let level = this.#level;
    let isTooDeep = false;
    let at = this.#isInText ? this.#skipText(bytes, 0) : 0;
    while (at < length) {
      const byte = bytes[at];
      at += 1;
      if (byte === quote) {
        this.#isInText = true;
        at = this.#skipText(bytes, at);
      } else if (byte === comma) values += 1;
      // [ and {, ] and }: the same but for one bit.
      else if (byte === 0x5b || byte === 0x7b) {
        values += 1;
        level += 1;
        isTooDeep ||= level > levelsMax;
      } else if (byte === 0x5d || byte === 0x7d) level -= 1;
    }
    this.#values = values;
    this.#level = level;
    if (isTooDeep) this.#excess ??= 'levels';
    if (values > this.limits.valuesMax) this.#excess ??= 'values';
  }

  /** @returns where the text ends in which `start` lies, or the end of the bytes. */
  #skipText(bytes: Uint8Array, start: number): number {
    const { length } = bytes;
    let at = start;
    // Each looked for again only once it is passed.
    let endAt = -1;
    let escapeAt = -1;
    while (at < length) {
      if (this.#isEscaped) {
        this.#isEscaped = false;
        at += 1;
        continue;
      }
      const searchFrom = Math.min(length, at + searchedByHand);
      while (at < searchFrom && bytes[at] !== quote && bytes[at] !== backslash) at += 1;
      if (at === searchFrom) {
        if (endAt < at) endAt = indexOf(bytes, quote, at);
        if (escapeAt < at) escapeAt = indexOf(bytes.subarray(0, endAt), backslash, at);
        at = Math.min(endAt, escapeAt);
      }
      if (at >= length) break;
      if (bytes[at] === backslash) this.#isEscaped = true;
      else {
        this.#isInText = false;
        return at + 1;
      }
      at += 1;
    }
    return length;
  }
}

function indexOf(bytes: Uint8Array, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at < 0 ? bytes.length : at;
}

const pieceCharacters = 64 * 1024;
// Neither its nesting, which is what recursion can bear, nor what is in it can matter.
const harmlessCharacters = 2_048;

/** Which of the limits a text passes that is at hand as such; null: none, or so short that it does not matter. */
export function findJsonExcess(text: string, limits: JsonLimits): JsonExcess | null {
  if (text.length <= harmlessCharacters) return null;
  const gauge = new JsonGauge(limits);
  for (let start = 0; start < text.length && gauge.excess === null; start += pieceCharacters) {
    gauge.push(Buffer.from(text.slice(start, start + pieceCharacters)));
  }
  return gauge.excess;
}
