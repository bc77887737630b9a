import { StringDecoder } from 'node:string_decoder';
import { foldDeepJson } from '../../kernel/fold-deep-json.js';
import { JsonGauge, type JsonLimits } from '../../kernel/json-gauge.js';
import type { HttpExchange } from '../http-exchange.js';
import type { ParsedJson } from '../json-object.js';
import { createUnreadableError } from '../upstream-error.js';
import { findFirstByte } from './answer-start.js';
import { parseLargeJson } from './parse-large-json.js';
import { readPieces } from './read-pieces.js';

const byteOrderMark = '\uFEFF';
const opening = 0x7b;

export interface BodyBounds {
  readonly providerId: string;
  readonly bytesMax: number;
  readonly limits: JsonLimits;
  /** The caller's wish to stop; null: nobody can. */
  readonly signal: AbortSignal | null;
}

/**
 * Reads the whole of an answer that comes in one piece, decoded and counted as it comes in, so that the end of a long one is no
 * long work, and parsed in steps where it is long. A byte order mark in front is left out, and so is what stands behind an object. What is nested too deep in it is text afterwards: its provider bills it however deep it is.
 * @param first What was read already; null: there is nothing.
 * @throws AppError `provider_error` for more bytes or values than allowed; what `readPieces` throws.
 */
export async function readAnswerBody(
  exchange: Pick<HttpExchange, 'read'>,
  first: Buffer | null,
  { providerId, bytesMax, limits, signal }: BodyBounds,
): Promise<string | ParsedJson> {
  const decoder = new StringDecoder('utf8');
  const gauge = new JsonGauge(limits);
  let bytes = 0;
  let text = '';
  let firstByte: number | undefined;
  const isWhole = () => firstByte === opening && gauge.isClosed;
  await readPieces(exchange, { first, isWhole, signal }, (piece) => {
    // Of the bytes: to look at the text would put it together anew for each piece.
    firstByte ??= findFirstByte(piece);
    bytes += piece.length;
    gauge.push(piece);
    if (bytes > bytesMax || gauge.values > limits.valuesMax)
      throw createUnreadableError(providerId, 'a body larger than allowed, or with more values');
    text += decoder.write(piece);
  });
  text += decoder.end();
  if (text.startsWith(byteOrderMark)) text = text.slice(byteOrderMark.length);
  if (firstByte === opening) text = withoutTail(text);
  return parseLargeJson(gauge.excess === null ? text : foldDeepJson(text, limits.levelsMax));
}

// Whatever some servers write behind an object, such as the end mark of a stream. What is cut off in its middle stays no JSON.
function withoutTail(text: string): string {
  const end = text.lastIndexOf('}') + 1;
  return end === 0 ? text : text.slice(0, end);
}
