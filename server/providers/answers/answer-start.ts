import type { HttpExchange } from '../http-exchange.js';

// More than any provider sends to keep a connection open before its answer.
const blankBytesMax = 4_096;
const colon = 0x3a;
// Blanks, ends of lines, and the byte order mark.
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);
const isBlank = (byte: number): boolean => blanks.has(byte);
const isLetter = (byte: number): boolean => (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);

/**
 * Reads on until something beside blanks has come, or 4 KiB of them.
 * @param first What was read already; null: there is nothing.
 * @returns All that has come so far, with its blanks; null: nothing comes. At once where what came first is enough, as nearly always.
 * @throws as `HttpExchange.read`.
 */
export function readStart(
  exchange: Pick<HttpExchange, 'read'>,
  first: Buffer | null,
): Buffer | null | Promise<Buffer | null> {
  return isBlankStart(first) ? readBehindBlanks(exchange, first) : first;
}

async function readBehindBlanks(exchange: Pick<HttpExchange, 'read'>, blanksSoFar: Buffer): Promise<Buffer> {
  let start = blanksSoFar;
  while (isBlankStart(start)) {
    const next = await exchange.read();
    if (next === null) return start;
    start = Buffer.concat([start, next]);
  }
  return start;
}

function isBlankStart(start: Buffer | null): start is Buffer {
  return start !== null && start.length < blankBytesMax && start.every(isBlank);
}

/**
 * Whether an answer that begins so is an event stream or JSON: a stream has a comment or a field first, where JSON and HTML have another
 * character. The type that the answer has in its head says less: some servers send both as `application/json`, or without any type.
 * null: nothing but blanks has come.
 */
export function findForm(start: Buffer | null): 'events' | 'json' | null {
  const byte = start === null ? undefined : findFirstByte(start);
  if (byte === undefined) return null;
  return byte === colon || isLetter(byte) ? 'events' : 'json';
}

/** The first byte that is neither blank nor of a byte order mark; undefined: there is none. */
export function findFirstByte(bytes: Buffer): number | undefined {
  return bytes.find((each) => !isBlank(each));
}
