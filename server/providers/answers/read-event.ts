import { foldWithin } from '../../kernel/fold-deep-json.js';
import type { JsonLimits } from '../../kernel/json-gauge.js';
import type { ServerSentEvent, StreamParser, UpstreamEvent } from '../provider-adapter.js';
import { createBeyondLimitError } from '../upstream-error.js';
import { EventTooLargeError, type ServerSentEventDecoder } from './server-sent-events.js';

/**
 * What one event brings. What cannot be read behind an answer that was whole takes nothing from it: null, and no more of it need be read.
 * @throws AppError when the provider reports an error before that, or writes what cannot be read.
 */
export function readEvent(
  parser: StreamParser,
  event: ServerSentEvent,
  { limits, providerId }: { limits: JsonLimits; providerId: string },
): readonly UpstreamEvent[] | null {
  const wasWhole = parser.isWhole;
  try {
    const data = foldWithin(event.data, limits);
    if (data === null) throw createBeyondLimitError(providerId, 'an event with more values than allowed');
    return parser.push(data === event.data ? event : { ...event, data });
  } catch (error) {
    if (wasWhole) return null;
    throw error;
  }
}

/**
 * The events that these bytes complete.
 * @param bytes null: the stream has ended, and what is left counts as an event.
 * @returns null: one is too large, behind an answer that was whole.
 * @throws AppError for one that is too large before that.
 */
export function decodeNext(
  decoder: ServerSentEventDecoder,
  bytes: Buffer | null,
  { parser, providerId }: { parser: StreamParser; providerId: string },
): readonly ServerSentEvent[] | null {
  try {
    return bytes === null ? decoder.end() : decoder.push(bytes);
  } catch (error) {
    if (!(error instanceof EventTooLargeError)) throw error;
    if (parser.isWhole) return null;
    throw createBeyondLimitError(providerId, 'an event larger than allowed');
  }
}
