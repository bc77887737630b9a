import { foldWithin } from '../../kernel/fold-deep-json.js';
import type { JsonLimits } from '../../kernel/json-gauge.js';
import type { HttpExchange } from '../http-exchange.js';
import { parseObject } from '../json-object.js';
import type { ServerSentEvent, StreamParser, UpstreamEvent } from '../provider-adapter.js';
import { createBeyondLimitError } from '../upstream-error.js';
import { type EventTaker, giveAll } from './event-taker.js';
import { EventTooLargeError, isBlankEvent, isEndMarker, ServerSentEventDecoder } from './server-sent-events.js';
import { WaitBehindWhole } from './wait-behind-whole.js';

interface StreamSource {
  readonly exchange: Pick<HttpExchange, 'read'>;
  /** What was read already; null: there is nothing. */
  readonly start: Buffer | null;
  readonly parser: StreamParser;
  /** The caller's wish to stop; null: nobody can. */
  readonly signal: AbortSignal | null;
}

interface StreamBounds {
  readonly providerId: string;
  readonly eventBytesMax: number;
  readonly limits: JsonLimits;
}

interface StreamTaker extends EventTaker {
  /** Told how many bytes came, before it is given what they bring. */
  noteBytes?(count: number): void;
}

/**
 * Reads an event stream to its end, and hands on what its parser makes of it. Whether the answer is whole by then, the parser says. One that is
 * counted as well has its end a second later: a connection that is never closed does not keep it back.
 * @throws AppError when the provider reports an error or writes what cannot be read; what reading throws, unless the answer was whole.
 */
export async function readStream(
  { exchange, start, parser, signal }: StreamSource,
  { providerId, eventBytesMax, limits }: StreamBounds,
  taker: StreamTaker,
): Promise<void> {
  const decoder = new ServerSentEventDecoder(eventBytesMax);
  // The whole answer may have come although the connection then broke: the caller has lost nothing.
  const marks = { isWhole: () => parser.isWhole, hasAll: () => parser.isCounted === true, signal };
  const wait = new WaitBehindWhole(exchange, marks);
  try {
    for (let bytes = start; ; ) {
      taker.noteBytes?.(bytes?.length ?? 0);
      const events = decodeNext(decoder, bytes, { parser, providerId });
      let isOver = events === null || bytes === null;
      for (const event of events ?? []) {
        const upstreamEvents = readEvent(parser, event, { limits, providerId });
        isOver ||= upstreamEvents === null;
        for (const upstreamEvent of upstreamEvents ?? []) {
          const waiting = taker.take(upstreamEvent);
          if (waiting !== null) await waiting;
          if (taker.hasEnough) return;
        }
      }
      if (isOver || parser.isEnded) break;
      const next = wait.read();
      bytes = next instanceof Promise ? await next : next;
    }
  } finally {
    wait.end();
  }
  await giveAll(parser.end?.() ?? [], taker);
}

/**
 * What one event brings. What cannot be read behind an answer that was whole takes nothing from it: null, and no more of it need be read.
 * @throws AppError when the provider reports an error before that, or writes what cannot be read.
 */
function readEvent(
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
    const inLines = splitLines(event);
    if (inLines !== null) return inLines.flatMap((line) => readEvent(parser, line, { limits, providerId }) ?? []);
    if (wasWhole) return null;
    throw error;
  }
}

/** The events that one is made of where its server ends each with one line end instead of two; null: it is one. */
function splitLines(event: ServerSentEvent): ServerSentEvent[] | null {
  const lines = event.data.split('\n').filter((line) => !isBlankEvent(line));
  const areEvents = lines.length > 1 && lines.every((line) => isEndMarker(line) || parseObject(line) !== null);
  return areEvents ? lines.map((data) => ({ ...event, data })) : null;
}

/**
 * The events that these bytes complete.
 * @param bytes null: the stream has ended, and what is left counts as an event.
 * @returns null: one is too large, behind an answer that was whole.
 * @throws AppError for one that is too large before that.
 */
function decodeNext(
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
