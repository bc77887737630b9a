import { createHash } from 'node:crypto';
import { InvalidInputError } from '../../kernel/app-error.js';
import { mostUsedPasswords } from './most-used-passwords.js';

export const passwordLengthMin = 8;
/** In characters of at most four bytes, so no password has more than 512 bytes. */
export const passwordLengthMax = 128;

/** Words that come to mind on these pages. `docs/graphql.md` lists them. */
const wordsOfContext: readonly string[] = [
  ...[
    'account',
    'admin',
    'administrator',
    'anthropic',
    'billing',
    'changeme',
    'chatgpt',
    'claude',
    'credits',
    'dashboard',
  ],
  ...[
    'demo',
    'developer',
    'gemini',
    'gpt',
    'key',
    'letmein',
    'login',
    'member',
    'openai',
    'operator',
    'owner',
    'pass',
    'password',
  ],
  ...['playground', 'proxy', 'root', 'secret', 'test', 'token', 'tollgate', 'user', 'viewer', 'welcome'],
];

const hashLength = 8;
const hashes = new Set(mostUsedPasswords.match(new RegExp(`\\S{${hashLength}}`, 'g')));

/**
 * @param field What the caller calls the password.
 * @param ofPerson What belongs to whoever chooses it, where that is known: their e-mail address and name.
 * @throws InvalidInputError naming the field: too short or too long; one of the most used ones; nothing but a run, a repetition, or words of
 *   the context or the person, whatever digits and signs stand around them.
 */
export function assertPasswordRules(field: string, given: string, ofPerson: readonly string[] = []): void {
  // As it is hashed.
  const password = given.normalize('NFC');
  // What a person counts: an emoji or a rare ideograph is one character, not two.
  const { length } = [...password];
  if (length < passwordLengthMin || length > passwordLengthMax) {
    throw new InvalidInputError(field, `A password has ${passwordLengthMin} to ${passwordLengthMax} characters.`);
  }
  const lower = password.toLowerCase();
  if (isMostUsed(lower) || isPattern(lower)) {
    const words =
      'This password is one of those that are tried first. Choose another, such as four words that do not belong together.';
    throw new InvalidInputError(field, words);
  }
  if (isMadeOf(lower, [...wordsOfContext, ...ofPerson.flatMap(wordsIn)])) {
    const words =
      'This password is made of words that are near at hand here: the name of this site, or yours. Choose another, such as four words that do not belong together.';
    throw new InvalidInputError(field, words);
  }
}

function isMostUsed(lower: string): boolean {
  return hashes.has(createHash('sha256').update(lower).digest().subarray(0, 6).toString('base64'));
}

// `aaaaaaaa`, `abcabcabc`, `12341234`; `23456789`, `hgfedcba`.
function isPattern(lower: string): boolean {
  const block = [1, 2, 3, 4].find((size) => lower === lower.slice(0, size).repeat(lower.length).slice(0, lower.length));
  if (block !== undefined) return true;
  const steps = [...lower].slice(1).map((character, index) => character.charCodeAt(0) - lower.charCodeAt(index));
  return steps.every((step) => step === 1) || steps.every((step) => step === -1);
}

// Only letters count, so that a year or a sign at the end makes no other word of it.
function isMadeOf(lower: string, words: readonly string[]): boolean {
  const letters = lower.replace(/[^\p{L}]/gu, '');
  if (letters === '') return false;
  // How far the letters can be read as words, from the left.
  const reached = new Set([0]);
  for (let at = 0; at < letters.length; at += 1) {
    if (!reached.has(at)) continue;
    for (const word of words) if (letters.startsWith(word, at)) reached.add(at + word.length);
  }
  return reached.has(letters.length);
}

// A word of three letters would be found in too many others.
function wordsIn(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}{4,}/gu) ?? []).slice(0, 20);
}
