import { JsonGauge } from '../../kernel/json-gauge.js';
import { isObject } from '../json-object.js';
import type { Vector } from './embedding-types.js';

/** What an answer may have in it. */
export interface VectorLimits {
  /** Numbers of all vectors together. */
  readonly numbersMax: number;
}

/** An answer whose vectors were taken out as it came in. */
export interface ReadVectors {
  /** The JSON that is left; undefined when it is none. */
  readonly answer: unknown;
  /** Gives the vector that stands in this place of the answer; null: there is none. */
  takeVector(value: unknown): Vector | null;
}

/** The answer is none, or has more in it than it may. */
export class VectorJsonError extends Error {
  override readonly name = 'VectorJsonError';
}

const quote = 0x22;
const backslash = 0x5c;
const opening = 0x5b;
const closing = 0x5d;
const minus = 0x2d;

/** A longer text is taken for a vector in base64. */
const longText = 1_024;
/** What is left of an answer without its vectors, and one text in it. */
const restBytesMax = 8 * 1024 * 1024;
const textBytesMax = 1024 * 1024;
const restLimits = { valuesMax: 50_000, levelsMax: 16 };
const bytesPerNumber = 4;

/**
 * Reads an answer of up to millions of numbers without holding the event loop: each piece is worked on when it comes, lists of
 * numbers and long texts become 32-bit floats at once, and only the little that is left is parsed as JSON in the end. A list that
 * begins with a number stands there as a list with the vector's place in it.
 */
export class VectorJson {
  readonly #vectors: Vector[] = [];
  readonly #gauge = new JsonGauge(restLimits);
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  #numbers = 0;
  #state: 'plain' | 'opened' | 'text' | 'numbers' = 'plain';
  /** Of the text that is being read, its quotes left out. */
  #text: Buffer[] = [];
  #textBytes = 0;
  #isEscaped = false;
  #hasEscapes = false;
  /** The numbers of the list that is being read, and the last one as far as it has come. */
  #list: number[] = [];
  #number = '';

  constructor(private readonly limits: VectorLimits) {}

  /**
   * Takes the next bytes.
   * @throws VectorJsonError when the answer is over a limit, or a list begins with a number and has something else in it.
   */
  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === 'plain') at = this.#readPlain(bytes, at);
      else if (this.#state === 'text') at = this.#readText(bytes, at);
      else if (this.#state === 'numbers') at = this.#readNumbers(bytes, at);
      else at = this.#readOpened(bytes, at);
    }
  }

  /** The answer as it is now; nothing may be added after it. */
  end(): ReadVectors {
    const isWhole = this.#state === 'plain';
    return {
      answer: isWhole ? parse(Buffer.concat(this.#rest).toString('utf8')) : undefined,
      takeVector: (value) => this.#take(value),
    };
  }

  #take(value: unknown): Vector | null {
    // Not taken out, because it is short.
    if (typeof value === 'string') return value === '' ? null : this.#decode(value);
    if (!Array.isArray(value) || typeof value[0] !== 'number') return null;
    const vector = this.#vectors[value[0]];
    return vector === undefined || vector.length === 0 ? null : vector;
  }

  #readPlain(bytes: Buffer, start: number): number {
    let at = start;
    while (at < bytes.length && bytes[at] !== quote && bytes[at] !== opening) at += 1;
    this.#keep(bytes.subarray(start, at));
    if (at === bytes.length) return at;
    this.#state = bytes[at] === quote ? 'text' : 'opened';
    return at + 1;
  }

  // Whether a list is one of numbers is known by the first byte that is no space.
  #readOpened(bytes: Buffer, start: number): number {
    let at = start;
    while (at < bytes.length && (bytes[at] ?? 0) <= 0x20) at += 1;
    const byte = bytes[at];
    if (byte === undefined) return at;
    const isNumber = byte === minus || (byte >= 0x30 && byte <= 0x39);
    this.#state = isNumber ? 'numbers' : 'plain';
    if (!isNumber) this.#keep(Buffer.from('['));
    return at;
  }

  #readText(bytes: Buffer, start: number): number {
    const at = this.#findTextEnd(bytes, start);
    this.#textBytes += at - start;
    if (this.#textBytes > textBytesMax) throw new VectorJsonError('A text is too long.');
    this.#text.push(bytes.subarray(start, at));
    if (at === bytes.length) return at;
    this.#endText();
    return at + 1;
  }

  #findTextEnd(bytes: Buffer, start: number): number {
    const found = bytes.indexOf(quote, start);
    const end = found < 0 ? bytes.length : found;
    if (!this.#isEscaped && !bytes.subarray(start, end).includes(backslash)) return end;
    let at = start;
    for (; at < bytes.length && (this.#isEscaped || bytes[at] !== quote); at += 1) {
      this.#isEscaped = !this.#isEscaped && bytes[at] === backslash;
    }
    this.#hasEscapes = true;
    return at;
  }

  #endText(): void {
    const text = Buffer.concat(this.#text);
    if (text.length > longText && !this.#hasEscapes) {
      this.#addVector(this.#decode(text.toString('latin1')) ?? Buffer.alloc(0));
    } else {
      this.#keep(Buffer.concat([quoteBytes, text, quoteBytes]));
    }
    this.#text = [];
    this.#textBytes = 0;
    this.#hasEscapes = false;
    this.#state = 'plain';
  }

  #readNumbers(bytes: Buffer, start: number): number {
    const found = bytes.indexOf(closing, start);
    const end = found < 0 ? bytes.length : found;
    const words = (this.#number + bytes.toString('latin1', start, end)).split(',');
    this.#number = found < 0 ? (words.pop() ?? '') : '';
    if (this.#number.length > longText) throw new VectorJsonError('A number is too long.');
    this.#countNumbers(words.length);
    for (const word of words) this.#list.push(toNumber(word));
    if (found < 0) return end;
    this.#addVector(toVector(this.#list));
    this.#list = [];
    this.#state = 'plain';
    return end + 1;
  }

  #decode(base64: string): Vector | null {
    const vector = Buffer.from(base64, 'base64');
    // What is not base64 is passed over in silence, and so makes it shorter.
    const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
    if (vector.length === 0 || vector.length !== bytes || bytes % bytesPerNumber !== 0) return null;
    this.#countNumbers(vector.length / bytesPerNumber);
    for (let at = 0; at < vector.length; at += bytesPerNumber) {
      if (!Number.isFinite(vector.readFloatLE(at))) return null;
    }
    return vector;
  }

  #countNumbers(count: number): void {
    this.#numbers += count;
    if (this.#numbers > this.limits.numbersMax) throw new VectorJsonError('There are too many numbers.');
  }

  #addVector(vector: Vector): void {
    this.#keep(Buffer.from(`[${this.#vectors.length}]`));
    this.#vectors.push(vector);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#restBytes += bytes.length;
    this.#gauge.push(bytes);
    if (this.#restBytes > restBytesMax || this.#gauge.excess !== null) throw new VectorJsonError('There is too much.');
    // A part of it would keep the whole piece that came.
    this.#rest.push(Buffer.from(bytes));
  }
}

const quoteBytes = Buffer.from('"');

function toNumber(word: string): number {
  const value = Number(word);
  if (!Number.isFinite(value) || word.trim() === '') throw new VectorJsonError('This is no number.');
  return value;
}

function toVector(numbers: readonly number[]): Vector {
  const vector = Buffer.allocUnsafe(numbers.length * bytesPerNumber);
  numbers.forEach((value, index) => {
    // What is too large for 32 bits would be written as null.
    if (Math.abs(value) > largestFloat) throw new VectorJsonError('A number is too large.');
    vector.writeFloatLE(value, index * bytesPerNumber);
  });
  return vector;
}

const largestFloat = 3.4028234663852886e38;

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
