import { setImmediate as nextTurn } from 'node:timers/promises';

/** A value with less text and fewer parts than this is written in less than a millisecond. */
const smallCharacters = 256 * 1024;
const smallParts = 5_000;
/** About how much is written before others have their turn: a millisecond. */
const stepCharacters = 256 * 1024;
/** Thousands of little parts take far longer than their characters tell. */
const stepMs = 4;

/** Shorter texts are gathered with what is around them. */
const smallText = 64 * 1024;

let lastInLine: Promise<unknown> = Promise.resolve();

/**
 * Writes a value as JSON in UTF-8, as `JSON.stringify` would: at once while it is small; a large one in steps of a few
 * milliseconds, between which the event loop goes on, and one such value after the other. It stays in the pieces of those
 * steps: to join them would take as long as all the rest, at one stretch.
 * @param value What `JSON.parse` could give, and `undefined` for what is to be left out.
 */
export function encodeJson(value: object): string | Promise<readonly Buffer[]> {
  if (!isLarge(value)) return JSON.stringify(value);
  const encoded = lastInLine.then(() => encodeInSteps(value));
  lastInLine = encoded.catch(() => {});
  return encoded;
}

/** Whether a value is long enough to hold the event loop when it is written at once. Looks no further than it must. */
function isLarge(value: unknown): boolean {
  let characters = 0;
  let parts = 0;
  const look = (part: unknown): boolean => {
    parts += 1;
    if (typeof part === 'string') characters += part.length;
    else if (Array.isArray(part)) {
      for (const item of part) if (look(item)) return true;
    } else if (typeof part === 'object' && part !== null) {
      for (const name in part) {
        characters += name.length;
        if (look((part as Record<string, unknown>)[name])) return true;
      }
    }
    return characters > smallCharacters || parts > smallParts;
  };
  return look(value);
}

async function encodeInSteps(value: object): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  let text = '';
  let stepEndsMs = performance.now() + stepMs;
  for (const part of writeParts(value)) {
    if (typeof part === 'string') text += part;
    // A long text of few parts is measured by its length, and a short one of many by the clock.
    const isStepOver = typeof part !== 'string' || text.length >= stepCharacters || performance.now() >= stepEndsMs;
    if (!isStepOver) continue;
    if (text !== '') pieces.push(Buffer.from(text));
    text = '';
    if (typeof part !== 'string') pieces.push(part);
    await nextTurn();
    stepEndsMs = performance.now() + stepMs;
  }
  if (text !== '') pieces.push(Buffer.from(text));
  return pieces;
}

/** A long text comes as bytes at once: to gather it with what is around it would copy it once more. */
function* writeParts(value: unknown): Generator<string | Buffer, void, undefined> {
  if (typeof value === 'string') yield* writeText(value);
  else if (typeof value !== 'object' || value === null || !isLarge(value)) yield JSON.stringify(value ?? null);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ',';
      yield* writeParts(item);
    }
    yield value.length === 0 ? '[]' : ']';
  } else {
    let mark = '{';
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue;
      yield `${mark}${JSON.stringify(name)}:`;
      mark = ',';
      yield* writeParts(item);
    }
    yield mark === '{' ? '{}' : '}';
  }
}

// A pair of halves of one character must not be torn apart: each half by itself would be written as an escape.
function* writeText(text: string): Generator<string | Buffer, void, undefined> {
  if (text.length < smallText) {
    yield JSON.stringify(text);
    return;
  }
  let start = 0;
  yield '"';
  while (start < text.length) {
    let end = Math.min(text.length, start + smallCharacters);
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end += 1;
    yield Buffer.from(JSON.stringify(text.slice(start, end))).subarray(1, -1);
    start = end;
  }
  yield '"';
}
