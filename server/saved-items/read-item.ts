import { InvalidInputError } from '../kernel/app-error.js';
import { isJsonObject } from '../kernel/json-body.js';
import { isPrintableWithin } from '../kernel/texts/printable-text.js';

const nameLengthMax = 60;
/** What is kept under one name, in bytes; a column of text has 65,535. */
export const contentBytesMax = 60_000;

/** @throws InvalidInputError naming `name`. */
export function readName(given: string): string {
  const name = given.trim();
  if (isPrintableWithin(name, 1, nameLengthMax)) return name;
  throw new InvalidInputError(
    'name',
    `A name has 1 to ${nameLengthMax} printable characters, at least one of them visible.`,
  );
}

/** @throws InvalidInputError naming `content`. */
export function readContent(content: string): string {
  if (Buffer.byteLength(content) > contentBytesMax)
    throw new InvalidInputError(
      'content',
      `It has at most ${contentBytesMax} bytes. Shorten it, or keep it in your browser.`,
    );
  if (!isTextOfObject(content)) throw new InvalidInputError('content', 'Send the text of a JSON object.');
  return content;
}

function isTextOfObject(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
