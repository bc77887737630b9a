import { lstatSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** `.env` is not to be read, or not as it seems to be meant; one line with the remedy, which quotes no value. */
export class EnvFileError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(`.env ${message}`);
    this.name = 'EnvFileError';
  }
}

/**
 * Reads `.env` of the folder that this runs in, for every program of ours. Values that the environment has already win over those of
 * the file; a missing file is none.
 * @throws {EnvFileError} where a setting would be lost or cut in silence
 */
export function readEnvFile() {
  if (lstatSync('.env', { throwIfNoEntry: false }) === undefined) return;
  const settings = parseEnvFile(readBytes());
  for (const [name, value] of Object.entries(settings)) process.env[name] ??= value;
}

function readBytes() {
  try {
    return readFileSync('.env');
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'EISDIR') throw new EnvFileError('is a folder. Make it a file of settings, or remove it.');
    throw new EnvFileError(`cannot be read: ${message}. Let this user read it, or remove it.`);
  }
}

/**
 * What Node.js reads there, if that is beyond doubt.
 * @param {Buffer} bytes
 * @returns {Record<string, string>}
 * @throws {EnvFileError}
 */
export function parseEnvFile(bytes) {
  const text = decode(bytes);
  const names = listNames(text);
  const settings = /** @type {Record<string, string>} */ (parseEnv(text));
  const lost = names.find((name) => !Object.hasOwn(settings, name)) ?? Object.keys(settings).find(isNotIn(names));
  if (lost !== undefined)
    throw new EnvFileError(`is not clear about ${lost}. Write it in a line of its own, in quotes.`);
  return settings;
}

/** @param {readonly string[]} names @returns {(name: string) => boolean} */
function isNotIn(names) {
  return (name) => !names.includes(name);
}

/** @param {Buffer} bytes */
function decode(bytes) {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16 || bytes.includes(0)) throw new EnvFileError('is UTF-16 or no text. Save it as UTF-8.');
  try {
    // A byte order mark at the beginning is left out.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n');
  } catch {
    throw new EnvFileError('is no UTF-8. Save it as UTF-8.');
  }
}

const quotes = ['"', "'", '`'];

/**
 * The names of the settings, once each line is known to say no more and no less than Node.js reads.
 * @param {string} text
 */
function listNames(text) {
  const names = [];
  for (let at = 0; at < text.length; ) {
    const lineEnd = endOfLine(text, at);
    const line = text.slice(at, lineEnd);
    const number = text.slice(0, at).split('\n').length;
    if (/^\s*(#|$)/.test(line)) {
      at = lineEnd + 1;
      continue;
    }
    const [head, name = ''] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/.exec(line) ?? [];
    if (head === undefined)
      throw new EnvFileError(`has no setting in line ${number}. Write NAME=value there, or # before it.`);
    names.push(name);
    at = findEnd(text, at + head.length, { name, number }) + 1;
  }
  return names;
}

/**
 * Where the last line of a value ends that begins at `from`.
 * @param {string} text @param {number} from @param {{ name: string, number: number }} setting
 */
function findEnd(text, from, { name, number }) {
  const quote = quotes.find((mark) => text[from] === mark);
  const place = `line ${number}`;
  if (quote === undefined) {
    const lineEnd = endOfLine(text, from);
    // The value would end there.
    if (/\S#/.test(text.slice(from - 1, lineEnd))) {
      throw new EnvFileError(`has a # inside the value of ${name} (${place}). Put the value in quotes.`);
    }
    return lineEnd;
  }
  const closing = text.indexOf(quote, from + 1);
  if (closing === -1) throw new EnvFileError(`does not close the ${quote} of ${name} (${place}). Close it.`);
  const lineEnd = endOfLine(text, closing);
  if (!/^\s*(#.*)?$/.test(text.slice(closing + 1, lineEnd))) {
    throw new EnvFileError(`goes on behind the closing ${quote} of ${name} (${place}). Put the value in other quotes.`);
  }
  return lineEnd;
}

/** @param {string} text @param {number} from */
function endOfLine(text, from) {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}
