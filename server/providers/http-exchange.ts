import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { UpstreamTimeouts } from '../config/time-settings.js';
import { AwakeTimer } from '../kernel/jobs/awake-timer.js';
import { toText } from '../kernel/json-body.js';
import type { UpstreamRequest } from './provider-adapter.js';
import {
  createBrokenError,
  createTimeoutError,
  createTotalTimeError,
  createUnsentError,
  createUnwantedError,
  findRefusedHandshake,
  findUnaskedInterim,
} from './upstream-error.js';

export interface ExchangeOptions {
  /** Connections to the origin of the request. */
  readonly connections: Dispatcher;
  readonly path: string;
  readonly headers: UpstreamRequest['headers'];
  /** JSON in UTF-8; in pieces where it is long. */
  readonly body: string | readonly Buffer[];
  readonly providerId: string;
  readonly timeouts: UpstreamTimeouts;
  /** The caller's wish to stop; its reason is what `head` and `read` then throw. null: nobody can stop it. */
  readonly signal: AbortSignal | null;
  /** Asked when a connection is there: whether the request shall still go out on it. */
  readonly isWanted: (() => boolean) | undefined;
  /** Told when a connection is there and the request goes out on it; from then on the provider may be at work. */
  readonly onSent: (() => void) | undefined;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

// While a reader is slow, this much of an answer waits here; the rest waits in the kernel and at the provider.
const bufferedBytesMax = 64 * 1024;
// How much, and for how long, an answer that nobody needs is still read so that its connection can be used again.
const drainedBytesMax = 64 * 1024;
const drainMsMax = 1_000;

/**
 * One HTTP request and the reading of its answer, straight on undici's dispatch: bounded in time and in memory, and
 * abortable at every moment. A redirect is an answer like any other; it is never followed.
 */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #onAbort = (): void => this.#fail(this.#options.signal?.reason);
  readonly #totalTimer: AwakeTimer;
  readonly #firstByteTimer: AwakeTimer;
  #controller: Dispatcher.DispatchController | null = null;
  #head: ResponseHead | null = null;
  #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  #isEnded = false;
  #failure: { readonly reason: unknown } | null = null;
  #wakeReader: (() => void) | null = null;
  #drainedBytes = 0;
  #drainTimer: NodeJS.Timeout | null = null;

  /** Sends the request. */
  constructor(options: ExchangeOptions) {
    const { connections, path, providerId, timeouts, signal } = options;
    this.#options = options;
    this.#firstByteTimer = new AwakeTimer(timeouts.firstByteMs, () => this.#fail(createTimeoutError(providerId)));
    this.#totalTimer = new AwakeTimer(timeouts.totalMs, () => this.#fail(createTotalTimeError(providerId)));
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    const { headers, body } = toContent(options);
    const bodyTimeout = timeouts.idleMs;
    connections.dispatch({ path, method: 'POST', headers, body, headersTimeout: 0, bodyTimeout }, this);
  }

  /**
   * Waits for the status and the headers.
   * @throws AppError `provider_timeout` or `provider_error`, `service_unavailable` where this machine has nothing left to open a
   *   connection with, or the reason of the signal.
   */
  async head(): Promise<ResponseHead> {
    while (this.#head === null) {
      if (this.#failure !== null) throw this.#failure.reason;
      await this.#nextNews();
    }
    return this.#head;
  }

  /**
   * The next bytes of the body, all that have come, at once where some have; null at its end. What came before a failure is given before it
   * is thrown, unless the signal was aborted.
   * @throws as `head`.
   */
  read(): Buffer | null | Promise<Buffer | null> {
    const [first, second] = this.#chunks;
    if (first !== undefined) {
      // Whoever sends a byte at a time must not cost the reader as much, in time and memory, for each.
      const bytes = second === undefined ? first : Buffer.concat(this.#chunks);
      this.#chunks = [];
      this.#bufferedBytes = 0;
      if (this.#controller?.paused) this.#controller.resume();
      return bytes;
    }
    if (this.#failure !== null) throw this.#failure.reason;
    return this.#isEnded ? null : this.#nextNews().then(() => this.read());
  }

  /** Ends the exchange for a reader that has all it needs: the little that may follow is read away, then the connection is free. */
  release(): void {
    if (this.#isOver()) return;
    this.#drainTimer = setTimeout(() => this.#giveUp(), drainMsMax);
    this.#chunks = [];
    this.#bufferedBytes = 0;
    this.#controller?.resume();
  }

  /** Breaks the exchange off and closes its connection. Does nothing once it is over or released. */
  destroy(): void {
    if (this.#drainTimer === null) this.#giveUp();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for a connection: nothing of it may be sent now.
    if (this.#failure !== null) controller.abort(new Error('given up before it was sent'));
    else if (this.#options.isWanted?.() === false) this.#fail(createUnwantedError());
    else this.#options.onSent?.();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHead['headers']): void {
    if (status < 200) return;
    this.#firstByteTimer.stop();
    this.#head = { status, headers };
    this.#wake();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#drainTimer !== null) {
      this.#drainedBytes += chunk.length;
      if (this.#drainedBytes > drainedBytesMax) this.#giveUp();
      return;
    }
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    if (this.#bufferedBytes >= bufferedBytesMax) controller.pause();
    this.#wake();
  }

  onResponseEnd(): void {
    this.#isEnded = true;
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver()) return;
    const { providerId } = this.#options;
    const isTimeout = 'code' in error && /^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(toText(error.code));
    const wasSent = this.#controller !== null;
    if (!wasSent) this.#failure = { reason: createUnsentError(providerId, error) };
    else if (isTimeout) this.#failure = { reason: createTimeoutError(providerId, error) };
    else if (this.#head !== null)
      this.#failure = { reason: createBrokenError(providerId, { hasBegun: true, cause: error }) };
    else
      this.#failure = {
        reason:
          findUnaskedInterim(providerId, error) ??
          findRefusedHandshake(providerId, error) ??
          createBrokenError(providerId, { hasBegun: false, cause: error }),
      };
    this.#finish();
  }

  #giveUp(): void {
    if (!this.#isOver()) this.#fail(createBrokenError(this.#options.providerId, { hasBegun: this.#head !== null }));
  }

  #fail(reason: unknown): void {
    if (this.#isOver()) return;
    this.#failure = { reason };
    if (this.#options.signal?.aborted) this.#chunks = [];
    this.#finish();
    this.#controller?.abort(new Error('given up'));
  }

  #isOver(): boolean {
    return this.#isEnded || this.#failure !== null;
  }

  #finish(): void {
    this.#firstByteTimer.stop();
    this.#totalTimer.stop();
    if (this.#drainTimer !== null) clearTimeout(this.#drainTimer);
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#wake();
  }

  #nextNews(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeReader = resolve;
    });
  }

  #wake(): void {
    const wakeReader = this.#wakeReader;
    this.#wakeReader = null;
    wakeReader?.();
  }
}

// Its length is announced all the same: not every provider takes a body without one.
function toContent({ headers, body }: ExchangeOptions) {
  if (typeof body === 'string') return { headers, body };
  const bytes = body.reduce((sum, { length }) => sum + length, 0);
  return { headers: { ...headers, 'content-length': `${bytes}` }, body: Readable.from(giveInTurns(body)) };
}

// To hand a long body over at once would hold the event loop while the kernel copies it.
async function* giveInTurns(pieces: readonly Buffer[]): AsyncGenerator<Buffer, void, undefined> {
  for (const piece of pieces) {
    yield piece;
    await nextTurn();
  }
}
