import { monotonicFactory } from 'ulid';

const prefixes = {
  account: 'acct',
  session: 'sess',
  key: 'key',
  call: 'call',
  purchase: 'pur',
  instance: 'inst',
  notice: 'note',
  giftCode: 'gift',
} as const;

const nextUlid = monotonicFactory();

/**
 * Makes an identifier such as `call_01KAG…`: a prefix that says what it names, then 26 letters and digits that sort by
 * the time of making. At most 31 ASCII characters; unique without asking the database.
 */
export function createId(kind: keyof typeof prefixes): string {
  return `${prefixes[kind]}_${nextUlid()}`;
}

/** Whether a text has the shape of an identifier of this kind; asked before caller text meets the database. */
export function isId(kind: keyof typeof prefixes, text: string): boolean {
  const prefix = `${prefixes[kind]}_`;
  return text.startsWith(prefix) && /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text.slice(prefix.length));
}
