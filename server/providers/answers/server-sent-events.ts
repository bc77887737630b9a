import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { ServerSentEvent } from '../provider-adapter.js';

/** One event is larger than its reader is willing to keep. */
export class EventTooLargeError extends Error {
  override readonly name = 'EventTooLargeError';
}

/** Whether the data of an event is the `[DONE]` that ends streams of OpenAI's kind, also with blanks around it or without brackets. */
export function isEndMarker(data: string): boolean {
  return /^\s*(?:\[DONE\]|DONE\s*$)/.test(data);
}

/** Whether an event brings nothing: no data, or blanks. */
export function isBlankEvent(data: string): boolean {
  return /^\s*$/.test(data);
}

// The parser looks through all that it is given for each line that ends in CR alone, so it is given a little at a time.
const pieceCharacters = 4_096;

const byteOrderMark = '\uFEFF';

/**
 * Turns the bytes of a `text/event-stream` into events, in whatever pieces they come: the same bytes give the same events
 * for every way of cutting them. Takes LF, CRLF and CR, a missing space after the colon, data over several lines, comments
 * and a byte order mark, as https://html.spec.whatwg.org/multipage/server-sent-events.html has it.
 */
export class ServerSentEventDecoder {
  readonly #text = new StringDecoder('utf8');
  readonly #parser: EventSourceParser;
  #events: ServerSentEvent[] = [];
  #isBeginning = true;
  #isTooLarge = false;
  #charactersSinceEvent = 0;

  /**
   * @param eventCharactersMax The most characters that an unfinished event may hold, or that may come without an event: what
   *   only keeps a connection open, and lines without data, cost time and memory as well.
   */
  constructor(private readonly eventCharactersMax: number) {
    this.#parser = createParser({
      maxBufferSize: eventCharactersMax,
      onEvent: ({ event, data }) => this.#events.push({ name: event ?? null, data }),
      // The other errors, an unknown field or an odd `retry`, are for readers to ignore.
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.#isTooLarge = true;
      },
    });
  }

  /**
   * Takes the next bytes and gives the events that they complete, in order.
   * @throws EventTooLargeError, once the events before the large one were given.
   */
  push(bytes: Buffer): readonly ServerSentEvent[] {
    return this.#feed(this.#text.write(bytes));
  }

  /** Ends the stream. An event whose closing blank line is missing still counts: some providers leave it out. */
  end(): readonly ServerSentEvent[] {
    return this.#feed(`${this.#text.end()}\n\n`);
  }

  #feed(text: string): readonly ServerSentEvent[] {
    const rest = this.#isBeginning ? this.#stripMark(text) : text;
    for (let start = 0; start < rest.length && !this.#isTooLarge; start += pieceCharacters) {
      this.#parse(rest.length <= pieceCharacters ? rest : rest.slice(start, start + pieceCharacters));
    }
    const events = this.#events;
    if (this.#isTooLarge && events.length === 0) throw new EventTooLargeError('An event of the stream is too large.');
    if (events.length > 0) this.#events = [];
    return events;
  }

  #parse(text: string): void {
    const eventCount = this.#events.length;
    this.#parser.feed(text);
    this.#charactersSinceEvent += text.length;
    if (this.#events.length > eventCount) this.#charactersSinceEvent = 0;
    else if (this.#charactersSinceEvent > this.eventCharactersMax) this.#isTooLarge = true;
  }

  #stripMark(text: string): string {
    if (text === '') return text;
    this.#isBeginning = false;
    return text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text;
  }
}
