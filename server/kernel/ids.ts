import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomFillSync } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';
import { systemClock, type WallClock } from './clock.js';

const prefixes = {
  account: 'acct',
  session: 'sess',
  key: 'key',
  call: 'call',
  lease: 'lease',
  purchase: 'pur',
  refund: 'refd',
  instance: 'inst',
  notice: 'note',
  webhookEndpoint: 'hook',
  announcement: 'ann',
  riskMark: 'mark',
  retentionChoice: 'rtn',
  giftCode: 'gift',
  emailVerification: 'veri',
  accountLink: 'link',
  accountEvent: 'evnt',
  operatorEvent: 'oper',
  invitation: 'invt',
  signUpInvitation: 'sinv',
  operator: 'op',
  operatorSession: 'osess',
  operatorToken: 'otok',
  operatorInvitation: 'oinv',
  creditRequest: 'creq',
  customerView: 'cview',
  passkey: 'pkey',
  factorRecovery: 'frec',
  linkedIdentity: 'iden',
  providerKey: 'pvk',
  usageSet: 'uset',
  priceGroup: 'pgrp',
} as const;

// The library asks for one character at a time; the system's generator is asked for many at once.
const randomBytes = new Uint8Array(4_096);
let randomBytesUsed = randomBytes.length;

function nextRandom(): number {
  if (randomBytesUsed === randomBytes.length) {
    randomFillSync(randomBytes);
    randomBytesUsed = 0;
  }
  const byte = randomBytes[randomBytesUsed] ?? 0;
  randomBytesUsed += 1;
  return byte / 256;
}

/** Behind the latest id by no more than this, the next one goes on from it, so that ids sort in the order of their making. */
const backMsMax = 1_000;
let nextUlid = monotonicFactory(nextRandom);
let latestMs = 0;
const ownClock = new AsyncLocalStorage<WallClock>();

/**
 * What `work` makes has identifiers of this clock's time, for what tells of another time than the present. One such work at a time; behind it no
 * storage is left in use, which each promise would ask until Node.js 24.
 */
export async function withIdsOfClock<Result>(clock: WallClock, work: () => Promise<Result>): Promise<Result> {
  try {
    return await ownClock.run(clock, work);
  } finally {
    ownClock.disable();
  }
}

// Left to itself, the factory goes on from the latest time that it has seen. After a clock was ahead for a moment, all ids would be of that
// time until it comes, and who looks for calls by their time would not find them.
function makeUlid(): string {
  const nowMs = (ownClock.getStore() ?? systemClock).nowMs();
  if (nowMs < latestMs - backMsMax) {
    nextUlid = monotonicFactory(nextRandom);
    latestMs = nowMs;
  }
  latestMs = Math.max(latestMs, nowMs);
  return nextUlid(nowMs);
}

/**
 * Makes an identifier such as `call_01KAG…`: a prefix that says what it names, then 26 letters and digits that sort by
 * the time of making, which they tell to a second, wherever the clock is set. At most 31 ASCII characters; unique without asking the database.
 */
export function createId(kind: keyof typeof prefixes): string {
  return `${prefixes[kind]}_${makeUlid()}`;
}

/**
 * The identifier of what these words name: the same for the same words, so that whoever asks twice means one thing. It has no time,
 * and `isId` does not know it.
 */
export function nameId(kind: keyof typeof prefixes, words: readonly string[]): string {
  const hash = createHash('sha256').update(words.join(' ')).digest('hex');
  return `${prefixes[kind]}_${hash.slice(0, 32)}`;
}

/** The least identifier that can have been made at this moment: what is made before it sorts below, what is made later above. */
export function leastIdAt(kind: keyof typeof prefixes, epochMs: number): string {
  return `${prefixes[kind]}_${encodeTime(epochMs, 10)}${'0'.repeat(16)}`;
}

/** When an identifier was made, in epoch milliseconds, by the clock of the machine that made it. */
export function timeOfId(id: string): number {
  return decodeTime(id.slice(id.indexOf('_') + 1));
}

/** Whether a text has the shape of an identifier of this kind; asked before caller text meets the database. */
export function isId(kind: keyof typeof prefixes, text: string): boolean {
  const prefix = `${prefixes[kind]}_`;
  return text.startsWith(prefix) && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text.slice(prefix.length));
}

/**
 * Whether a text could be an identifier of anything, here or at a payment service: printable ASCII without blanks. MySQL and MariaDB compare
 * texts without the blanks at their ends, so `acct_1 ` would find the row of `acct_1` and be another account to all that compares here.
 */
export function isPlainWord(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

/**
 * Stands where the id of a key would for calls that an account's owner makes on the dashboard's playground: the session
 * vouches for them, and no key pays. No key has such an id, and no caller can name one.
 */
export const playgroundKeyId = 'playground';
