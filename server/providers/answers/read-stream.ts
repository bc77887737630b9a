import { setImmediate as nextTurn } from 'node:timers/promises';
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
        if (upstreamEvents instanceof EventLines) {
          isOver = (await takeLines(upstreamEvents, parser, { taker, limits, providerId, signal })) || isOver;
          if (taker.hasEnough) return;
          continue;
        }
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

/** An event that is many, since its server ends each with one line end instead of two. */
class EventLines {
  constructor(private readonly event: ServerSentEvent) {}

  /** One after the other: a whole stream may be one such event. */
  *list(): Generator<ServerSentEvent, void, undefined> {
    const { data } = this.event;
    for (let start = 0; start < data.length; ) {
      const lineEnd = data.indexOf('\n', start);
      const end = lineEnd < 0 ? data.length : lineEnd;
      const line = data.slice(start, end);
      if (!isBlankEvent(line)) yield { ...this.event, data: line };
      start = end + 1;
    }
  }
}

/** So many lines are read before others have a turn of the event loop. */
const linesPerTurn = 256;

interface LineReading {
  readonly taker: StreamTaker;
  readonly limits: JsonLimits;
  readonly providerId: string;
  readonly signal: AbortSignal | null;
}

/** Reads lines as the events that they are. @returns whether no more need be read, as `readEvent` says by null. */
async function takeLines(lines: EventLines, parser: StreamParser, reading: LineReading): Promise<boolean> {
  const { taker, signal } = reading;
  let count = 0;
  for (const line of lines.list()) {
    const upstreamEvents = readEvent(parser, line, reading);
    if (upstreamEvents === null || upstreamEvents instanceof EventLines) return true;
    for (const upstreamEvent of upstreamEvents) {
      await taker.take(upstreamEvent);
      if (taker.hasEnough) return true;
    }
    count += 1;
    if (count % linesPerTurn !== 0) continue;
    await nextTurn();
    signal?.throwIfAborted();
  }
  return false;
}

/**
 * What one event brings. What cannot be read behind an answer that was whole takes nothing from it: null, and no more of it need be read.
 * @throws AppError when the provider reports an error before that, or writes what cannot be read.
 */
function readEvent(
  parser: StreamParser,
  event: ServerSentEvent,
  { limits, providerId }: { limits: JsonLimits; providerId: string },
): readonly UpstreamEvent[] | EventLines | null {
  const wasWhole = parser.isWhole;
  try {
    const data = foldWithin(event.data, limits);
    if (data === null) throw createBeyondLimitError(providerId, 'an event with more values than allowed');
    return parser.push(data === event.data ? event : { ...event, data });
  } catch (error) {
    const inLines = findLines(event);
    if (inLines !== null) return inLines;
    if (wasWhole) return null;
    throw error;
  }
}

/** The lines of an event of which the first is an event by itself, which no JSON over several lines has; null: it is one event. */
function findLines(event: ServerSentEvent): EventLines | null {
  const lines = new EventLines(event);
  const [first, second] = takeTwo(lines.list());
  if (first === undefined || second === undefined) return null;
  return isEndMarker(first.data) || parseObject(first.data) !== null ? lines : null;
}

function takeTwo<Item>(items: Iterator<Item, void>): (Item | undefined)[] {
  return [items.next(), items.next()].map(({ value }) => value ?? undefined);
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
