import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { AppError } from './app-error.js';

export type JsonBody = Readonly<Record<string, unknown>>;

const nestingMax = 64;

/** How UTF-16 without a byte order mark begins when it is read as UTF-8. */
const otherEncoding = /^.?\0/;

/**
 * The text of a body. Bytes of another encoding, such as the Latin-1 that some clients write unasked, would be read as other words than were
 * sent, and bodies with different words as the same one.
 * @throws AppError `invalid_json` where they are not UTF-8.
 */
export function readUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notUtf8();
  return bytes.toString('utf8');
}

function notUtf8(cause?: unknown): AppError {
  return new AppError('invalid_json', 'The body is not in UTF-8. Send a JSON object in UTF-8.', { cause });
}

/**
 * Parses the text of a body whose top is an object, nested at most 64 levels deep.
 * @throws AppError `invalid_json`, or `invalid_value` for what is nested deeper.
 */
export function parseJsonBody(text: string): JsonBody {
  let value: unknown;
  try {
    // Some writers of files put a byte order mark before UTF-8.
    value = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (error) {
    if (otherEncoding.test(text)) throw notUtf8(error);
    throw new AppError('invalid_json', 'The body is not valid JSON. Send a JSON object with `model` and `messages`.', {
      cause: error,
    });
  }
  if (!isJsonObject(value)) {
    throw new AppError('invalid_json', 'The body must be a JSON object with `model` and `messages`.');
  }
  if (isNestedDeeper(value, nestingMax)) {
    throw new AppError('invalid_value', `The body is nested more than ${nestingMax} levels deep. Flatten it.`);
  }
  return value;
}

/** Whether a value is an object with named members: no list and not null. */
export function isJsonObject(value: unknown): value is JsonBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * What a field of somebody's JSON says where a text belongs: a text as it is, a number or a boolean in its words, '' for all else.
 * `String(…)` would call what such a value brings under the name `toString`.
 */
export function toText(value: unknown): string {
  return typeof value === 'object' || value === undefined ? '' : `${value as string | number | boolean}`;
}

/** Whether a field was sent: null for an optional field means the same as leaving it out. */
export function isSent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/**
 * Holds somebody's JSON, which is not nested deep, against a shape. Zod compares the `length` also of what is no text and no list, and
 * throws where that cannot be compared: whatever an object brings under that name is then left out.
 */
export function checkShape<Shape extends z.ZodType>(shape: Shape, value: unknown) {
  try {
    return shape.safeParse(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return shape.safeParse(withoutLengths(value));
  }
}

function withoutLengths(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLengths);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'length');
  return Object.fromEntries(members.map(([name, member]) => [name, withoutLengths(member)]));
}

// JSON.parse reads any depth, but JSON.stringify and the checks that follow recurse: deep nesting would break them.
/** Whether lists and objects stand in each other on more levels; looks no deeper than that. */
export function isNestedDeeper(parent: object, levelsMax: number): boolean {
  if (levelsMax === 0) return true;
  for (const child of Object.values(parent)) {
    if (typeof child === 'object' && child !== null && isNestedDeeper(child, levelsMax - 1)) return true;
  }
  return false;
}
