import { StringDecoder } from 'node:string_decoder';
import { foldDeepJson } from '../../kernel/fold-deep-json.js';
import { JsonGauge, type JsonLimits } from '../../kernel/json-gauge.js';
import type { HttpExchange } from '../http-exchange.js';
import { createUnreadableError } from '../upstream-error.js';

const byteOrderMark = '\uFEFF';

export interface BodyBounds {
  readonly providerId: string;
  readonly bytesMax: number;
  readonly limits: JsonLimits;
}

/**
 * Reads the whole of an answer that comes in one piece, decoded and counted as it comes in, so that the end of a long one is no
 * long work. A byte order mark in front is left out. What is nested too deep in it is text afterwards: its provider bills it however deep it is.
 * @param first What was read already; null: there is nothing.
 * @throws AppError `provider_error` for more bytes or values than allowed.
 */
export async function readAnswerBody(
  exchange: HttpExchange,
  first: Buffer | null,
  { providerId, bytesMax, limits }: BodyBounds,
): Promise<string> {
  const decoder = new StringDecoder('utf8');
  const gauge = new JsonGauge(limits);
  let bytes = 0;
  let text = '';
  for (let piece = first; piece !== null; piece = await exchange.read()) {
    bytes += piece.length;
    gauge.push(piece);
    if (bytes > bytesMax || gauge.values > limits.valuesMax)
      throw createUnreadableError(providerId, 'a body larger than allowed, or with more values');
    text += decoder.write(piece);
  }
  text += decoder.end();
  if (text.startsWith(byteOrderMark)) text = text.slice(byteOrderMark.length);
  return gauge.excess === null ? text : foldDeepJson(text, limits.levelsMax);
}
