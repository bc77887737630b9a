import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { BodyRoom } from './body-memory.js';

/** What OpenAI's clients read as a stream; no proxy on the way may buffer or compress it. */
export const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** After this long without an event, a comment tells proxies on the way that the connection lives. */
const keepAliveMs = 15_000;

/** Events that come at once leave together; one write of this much is as good as a larger one. */
const joinedCharactersMax = 16 * 1024;

/** What is kept without room being asked for, in characters. */
const keptFreelyMax = 1_000_000;

/** Writes server-sent events no faster than their reader takes them, and a comment when there is long nothing to write. */
export class SseWriter {
  #keepAlive: NodeJS.Timeout | null = null;
  /** The events so far in blocks, of which each but the last is full; null: not to be kept, or there was no room. */
  #kept: string[] | null;
  #keptCharacters = 0;
  /** Written, but not yet handed to the connection; it is before this turn of the event loop ends. */
  #joined = '';
  /** Whether each piece is put into its frame here: that is one write to the connection, where Node makes four. */
  #isFraming = false;

  /**
   * @param readerLeft Aborted when the connection closes; nothing is written from then on, and nothing waited for.
   * @param room What has room for so many bytes more of what is kept, beyond the first million characters; null: nothing is kept.
   */
  constructor(
    private readonly response: ServerResponse,
    private readonly readerLeft: AbortSignal,
    private readonly room: Pick<BodyRoom, 'tryGrowBy'> | null = null,
  ) {
    this.#kept = room === null ? null : [''];
  }

  /** Every event so far in pieces, to be sent again another time; null when they were not kept or there was no room for them. */
  get kept(): readonly string[] | null {
    return this.#kept;
  }

  /** Whether the headers of a stream have gone out, so that no status can be answered any more. */
  get hasBegun(): boolean {
    return this.#keepAlive !== null;
  }

  /** Sends the headers. A second call does nothing. */
  begin(): void {
    if (this.hasBegun) return;
    this.response.writeHead(200, sseHeaders);
    // Node decides with the head whether there are frames: a caller of HTTP/1.0 is sent none.
    this.#isFraming = this.response.chunkedEncoding;
    this.response.chunkedEncoding = false;
    this.#keepAlive = setInterval(() => this.#writeKeepAlive(), keepAliveMs);
    this.response.once('close', () => this.#stopKeepAlive());
  }

  /**
   * Writes events, with the headers before the first one, and waits while the reader is behind. Events of one turn of the
   * event loop, which one read from the provider brings, leave in one piece. For a reader who is gone an event is only kept; so it
   * is for one who takes nothing, once the server has cut the connection off (`stalled-readers.ts`).
   * @returns null: there is nothing to wait for.
   */
  write(events: string): Promise<void> | null {
    if (this.#kept !== null) this.#keep(this.#kept, events);
    if (this.readerLeft.aborted) return null;
    this.begin();
    this.#keepAlive?.refresh();
    if (this.#joined === '') process.nextTick(this.#flush);
    this.#joined += events;
    if (this.#joined.length >= joinedCharactersMax) this.#flush();
    return this.response.writableNeedDrain ? this.#waitForReader() : null;
  }

  /** Hands over what was written, and what is to come to Node; for whoever writes to the response past this writer. */
  handBack(): void {
    this.#flush();
    if (this.#isFraming) this.response.chunkedEncoding = true;
    this.#isFraming = false;
  }

  readonly #flush = (): void => {
    const text = this.#joined;
    this.#joined = '';
    if (text !== '' && !this.readerLeft.aborted) this.response.write(this.#frame(text));
  };

  /** As one chunk of a body that HTTP sends in chunks (RFC 9112, 7.1). */
  #frame(text: string): string {
    return this.#isFraming ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text;
  }

  #keep(blocks: string[], events: string): void {
    this.#keptCharacters += events.length;
    if (this.#keptCharacters > keptFreelyMax && !this.room?.tryGrowBy(Buffer.byteLength(events))) {
      this.#kept = null;
      return;
    }
    const block = blocks.at(-1) ?? '';
    if (block.length < joinedCharactersMax) blocks[blocks.length - 1] = block + events;
    else blocks.push(events);
  }

  async #waitForReader(): Promise<void> {
    try {
      await once(this.response, 'drain', { signal: this.readerLeft });
    } catch {
      this.response.destroy();
    }
  }

  /** Ends the answer with its last events. */
  end(events: string): void {
    if (this.readerLeft.aborted) return;
    this.begin();
    this.#stopKeepAlive();
    const last = this.#joined + events;
    this.#joined = '';
    const framed = last === '' ? last : this.#frame(last);
    this.response.end(this.#isFraming ? `${framed}0\r\n\r\n` : framed);
  }

  // A reader who is behind has enough to read.
  #writeKeepAlive(): void {
    if (!this.response.writableNeedDrain && !this.response.writableEnded)
      this.response.write(this.#frame(': keep-alive\n\n'));
  }

  #stopKeepAlive(): void {
    if (this.#keepAlive) clearInterval(this.#keepAlive);
  }
}
