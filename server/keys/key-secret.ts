import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'sk-tg-';
const randomLength = 40;
const checksumLength = 6;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The shape of every secret; also what secret scanners look for. */
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** Makes a new secret: `sk-tg-`, 40 random letters and digits (238 bits), and 6 that check what stands before them. */
export function mintSecret(): string {
  let text = prefix;
  for (let position = 0; position < randomLength; position += 1) text += alphabet.charAt(randomInt(alphabet.length));
  return text + checksumOf(text);
}

/** Whether a text is meant to be one of our secrets, right or wrong. */
export function looksLikeSecret(text: string): boolean {
  return text.startsWith(prefix);
}

/** Whether a text can be one of our secrets at all. Typing errors die here, before the database is asked. */
export function hasValidChecksum(text: string): boolean {
  return shape.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** What is stored of a secret. Plain SHA-256 is enough for 238 random bits; nobody can try them all. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** `sk-tg-ab12…9BgD`: enough to tell two keys apart. Of a text too short to hide anything, nothing is shown. */
export function maskSecret(text: string): string {
  if (text.length < 24 || !/^[\x21-\x7e]+$/.test(text)) return '…';
  const headLength = text.startsWith(prefix) ? prefix.length + 4 : 4;
  return `${text.slice(0, headLength)}…${text.slice(-4)}`;
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let position = 0; position < checksumLength; position += 1) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
