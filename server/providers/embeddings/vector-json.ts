import { isJsonObject } from '../../kernel/json-body.js';
import { JsonGauge } from '../../kernel/json-gauge.js';

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
  /** The numbers between the brackets of a list, as they were written; of all lists or, where they are long, of none. */
  readonly texts: ReadonlyMap<Vector, string>;
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
/** Lists of numbers are kept as they were written up to here, all together. */
const writtenCharactersMax = 512 * 1024;

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
  /** The numbers of the list that is being read, as they were written, and the last one as far as it has come. */
  #list: number[] = [];
  #written: string[] = [];
  #number = '';
  readonly #texts = new Map<Vector, string>();
  #writtenCharacters = 0;

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

  /** Whether a whole object has come, which nothing but blanks can follow. */
  get isWhole(): boolean {
    return this.#state === 'plain' && this.#gauge.isClosed && this.#gauge.values > 1;
  }

  /** The answer as it is now; nothing may be added after it. */
  end(): ReadVectors {
    // Unlike a buffer's own way to text, it leaves out a byte order mark.
    const answer = this.#state === 'plain' ? parse(new TextDecoder().decode(Buffer.concat(this.#rest))) : undefined;
    return {
      answer: isJsonObject(answer) ? answer : undefined,
      takeVector: (value) => this.#take(value),
      texts: this.#texts,
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
    const isEnd = found >= 0;
    const text = this.#number + bytes.toString('latin1', start, isEnd ? found : bytes.length);
    const whole = isEnd ? text.length : text.lastIndexOf(',');
    this.#number = isEnd ? '' : text.slice(whole + 1);
    if (this.#number.length > longText) throw new VectorJsonError('A number is too long.');
    if (whole >= 0) this.#addNumbers(text.slice(0, whole));
    if (!isEnd) return bytes.length;
    const vector = toVector(this.#list);
    this.#addVector(vector);
    if (this.#writtenCharacters <= writtenCharactersMax) this.#texts.set(vector, this.#written.join(','));
    this.#list = [];
    this.#written = [];
    this.#state = 'plain';
    return found + 1;
  }

  #addNumbers(text: string): void {
    const numbers = parseNumbers(text);
    this.#countNumbers(numbers.length);
    for (const number of numbers) this.#list.push(number);
    this.#writtenCharacters += text.length;
    if (this.#writtenCharacters <= writtenCharactersMax) this.#written.push(text);
    else this.#texts.clear();
  }

  #decode(base64: string): Vector | null {
    const vector = Buffer.from(base64, 'base64');
    // What is not base64 is passed over in silence, and so makes it shorter.
    let characters = base64.length;
    while (base64.endsWith('=', characters) && characters > 0) characters -= 1;
    const bytes = Math.floor((characters * 3) / 4);
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

function parseNumbers(text: string): readonly number[] {
  const values = parse(`[${text}]`);
  const areNumbers = Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'number');
  if (!areNumbers) throw new VectorJsonError('These are no numbers.');
  return values;
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
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
