import { setImmediate as nextTurn } from 'node:timers/promises';
import { Pool } from 'undici';
import type { UpstreamTimeouts } from '../config/time-settings.js';
import { assertInvariant } from '../kernel/assert.js';
import { type Clock, systemClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { AwakeTimer } from '../kernel/jobs/awake-timer.js';
import { findAnswerLimits } from './answers/answer-limits.js';
import { findForm, readStart } from './answers/answer-start.js';
import { type EventTaker, giveAll } from './answers/event-taker.js';
import { AnswerJoiner } from './answers/join-answer.js';
import { type AnswerBody, openBody } from './answers/open-body.js';
import { readAnswerBody } from './answers/read-answer-body.js';
import { readStream } from './answers/read-stream.js';
import type { ChatRequest } from './chat-types.js';
import { completionToChunk } from './completion-to-chunk.js';
import { connectWithin } from './connect-upstream.js';
import { isEmbeddingRequest } from './embeddings/embedding-types.js';
import { readEmbeddings } from './embeddings/read-embeddings.js';
import { encodeJson } from './encode-json.js';
import { findRetryAfterMs } from './find-retry-after.js';
import { HttpExchange, type ResponseHead } from './http-exchange.js';
import type {
  AnswerContext,
  EmbeddedTarget,
  HttpTarget,
  UpstreamEvent,
  UpstreamRefusal,
  UpstreamRequest,
  UpstreamTarget,
} from './provider-adapter.js';
import { createBrokenError, createUnreadableError, createUnwantedError } from './upstream-error.js';

export interface UpstreamClientOptions {
  readonly timeouts: UpstreamTimeouts;
  /** How many calls may run against one provider's address at once; further ones wait. */
  readonly connectionsPerOriginMax?: number;
  readonly bodyBytesMax?: number;
  readonly eventBytesMax?: number;
  /** How long the words of a refusal are waited for, whose status has come. */
  readonly refusalMsMax?: number;
  readonly clock?: Clock;
}

export interface UpstreamCall {
  readonly target: UpstreamTarget;
  readonly request: ChatRequest;
  /** The caller's wish to stop; null: nobody can. */
  readonly signal: AbortSignal | null;
  /** Asked as the last thing before the request goes out: whether anybody still waits for its answer. Left out: somebody does. */
  readonly isWanted?: () => boolean;
  /** The `id` of the answer; left out, a fresh call id. */
  readonly answerId?: string;
  /** Told when the request goes out: until then the provider has provably done nothing. Never told of an embedded one. */
  readonly onSent?: () => void;
  /** Told the status of the answer. */
  readonly onStatus?: (status: number) => void;
  /** Told once, when the first byte of a body with status 200 has come. */
  readonly onFirstByte?: () => void;
  /** The header that continues a trace at the provider; null, or left out: it is told nothing. */
  readonly traceparent?: string | null;
  /** What is left of the call's time limit; left out, the setting for a whole call. */
  readonly totalMsMax?: number;
}

interface Route {
  readonly connections: Pool;
  readonly path: string;
}

const mebibyte = 1024 * 1024;
const refusalBytesMax = 64 * 1024;
// An embedded provider waits for nothing, so it lets others run after so many events.
const eventsPerTurn = 32;

/** The only way out to providers: keeps their connections, bounds every wait and every size, and follows no redirect. */
export class UpstreamClient {
  readonly #timeouts: UpstreamTimeouts;
  readonly #connectionsPerOriginMax: number;
  readonly #bodyBytesMax: number;
  readonly #eventBytesMax: number;
  readonly #refusalMsMax: number;
  readonly #clock: Clock;
  readonly #pools = new Map<string, Pool>();
  readonly #routes = new Map<string, Route>();

  constructor(options: UpstreamClientOptions) {
    this.#timeouts = options.timeouts;
    this.#connectionsPerOriginMax = options.connectionsPerOriginMax ?? 1_024;
    this.#bodyBytesMax = options.bodyBytesMax ?? 32 * mebibyte;
    this.#eventBytesMax = options.eventBytesMax ?? 10 * mebibyte;
    this.#refusalMsMax = options.refusalMsMax ?? 5_000;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Calls a provider and hands its answer on, event by event, no faster than `taker` takes it.
   *
   * @throws AppError with a code `provider_…`, or `service_unavailable` where this machine can open no connection; after an abort,
   *   the reason of the signal. What was taken before stands, so the taker knows whether the caller has seen a part of the answer.
   */
  async call(call: UpstreamCall, taker: EventTaker): Promise<void> {
    const { target, request, signal } = call;
    signal?.throwIfAborted();
    if (call.isWanted?.() === false) throw createUnwantedError();
    const context: AnswerContext = {
      providerId: target.providerId,
      publicModel: request.model,
      answerId: call.answerId ?? createId('call'),
      createdSeconds: Math.floor(this.#clock.nowMs() / 1_000),
      choicesAsked: request.n ?? 1,
      ...(target.kind === 'http' ? { baseUrl: target.baseUrl } : {}),
    };
    if (target.kind === 'embedded') {
      await answerEmbedded(target, call, { context, taker });
      return;
    }
    const sent = this.#send(target, call);
    const exchange = sent instanceof Promise ? await sent : sent;
    let body: AnswerBody | null = null;
    try {
      const head = await exchange.head();
      call.onStatus?.(head.status);
      if (head.status < 200 || head.status > 299) {
        const timer = new AwakeTimer(this.#refusalMsMax, () => exchange.destroy());
        const told = { call, target, nowMs: this.#clock.nowMs() };
        throw await readRefusal(exchange, head, told).finally(() => timer.stop());
      }
      body = openBody(exchange, head, target.providerId);
      await this.#readAnswer(body, target, call, { context, taker });
      if (!taker.hasEnough) exchange.release();
    } finally {
      body?.close?.();
      exchange.destroy();
    }
  }

  async #readAnswer(body: AnswerBody, target: HttpTarget, call: UpstreamCall, { context, taker }: Told): Promise<void> {
    const { request, signal } = call;
    const { providerId, adapter } = target;
    const next = body.read();
    const first = next instanceof Promise ? await next : next;
    if (first !== null) call.onFirstByte?.();
    const starting = readStart(body, first);
    const start = starting instanceof Promise ? await starting : starting;
    const isStreamAsked = request.stream === true;
    const limits = findAnswerLimits(request, adapter.countLogprobs?.(request, target) ?? 0);
    if (isEmbeddingRequest(request) && adapter.embeddings) {
      await giveAll(
        await readEmbeddings(body, start, { request, adapter: adapter.embeddings, context, signal }),
        taker,
      );
    } else if ((findForm(start) ?? (isStreamAsked ? 'events' : 'json')) === 'events') {
      const parser = adapter.parseStream(context);
      const joiner = isStreamAsked ? null : new AnswerJoiner({ providerId, bytesMax: this.#bodyBytesMax, limits });
      const stream = { exchange: body, start, parser, signal };
      await readStream(stream, { providerId, eventBytesMax: this.#eventBytesMax, limits }, joiner ?? taker);
      if (taker.hasEnough) return;
      if (joiner?.isEmpty) throw createUnreadableError(providerId, 'neither JSON nor an event stream');
      if (!parser.isWhole) throw createBrokenError(providerId, { hasBegun: true });
      await giveAll(joiner?.finish() ?? [], taker);
    } else {
      const bounds = { providerId, bytesMax: this.#bodyBytesMax, limits, signal };
      const events = adapter.parseResponse(await readAnswerBody(body, start, bounds), context);
      await giveAll(isStreamAsked ? events.map(toStreamEvent) : events, taker);
    }
  }

  /** Connections that are open, to all providers, and requests that wait for one. */
  countConnections(): { readonly connections: number; readonly waiting: number } {
    const stats = [...this.#pools.values()].map((pool) => pool.stats);
    return {
      connections: stats.reduce((sum, { connected }) => sum + connected, 0),
      waiting: stats.reduce((sum, { queued }) => sum + queued, 0),
    };
  }

  /** Closes all connections and breaks off what still runs. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    this.#routes.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #send(target: HttpTarget, call: UpstreamCall): HttpExchange | Promise<HttpExchange> {
    const { request, signal, isWanted, onSent, totalMsMax, traceparent } = call;
    const { url, headers: ofProvider, body: content } = buildRequest(request, target);
    const headers = traceparent ? { ...ofProvider, traceparent } : ofProvider;
    const { connections, path } = this.#findRoute(url);
    const { providerId } = target;
    const totalMs = Math.min(this.#timeouts.totalMs, totalMsMax ?? Number.POSITIVE_INFINITY);
    const { connectMs, firstByteMs, idleMs } = this.#timeouts;
    const timeouts = { connectMs, firstByteMs, idleMs, totalMs };
    const send = (body: string | readonly Buffer[]) => {
      signal?.throwIfAborted();
      return new HttpExchange({ connections, path, headers, body, providerId, timeouts, signal, isWanted, onSent });
    };
    const encoded = encodeJson(content);
    return typeof encoded === 'string' ? send(encoded) : encoded.then(send);
  }

  // Addresses come from the settings and the price list, so both maps stay small.
  #findRoute(url: string): Route {
    const known = this.#routes.get(url);
    if (known !== undefined) return known;
    const { origin, pathname, search } = new URL(url);
    let connections = this.#pools.get(origin);
    if (connections === undefined) {
      connections = new Pool(origin, {
        connections: this.#connectionsPerOriginMax,
        pipelining: 1,
        connect: connectWithin(this.#timeouts.connectMs),
        // Shorter than what common servers allow (5 seconds): a request on a connection that they are just closing is
        // lost, and cannot be sent again without the risk of a second bill. A server may ask for longer by its own header.
        keepAliveTimeout: 4_000,
      });
      this.#pools.set(origin, connections);
    }
    const route = { connections, path: `${pathname}${search}` };
    this.#routes.set(url, route);
    return route;
  }
}

function buildRequest(request: ChatRequest, target: HttpTarget): UpstreamRequest {
  if (!isEmbeddingRequest(request)) return target.adapter.buildRequest(request, target);
  assertInvariant(target.adapter.embeddings !== undefined, 'embeddings are asked of providers that make some');
  return target.adapter.embeddings.buildRequest(request, target);
}

interface Told {
  readonly context: AnswerContext;
  readonly taker: EventTaker;
}

async function answerEmbedded(target: EmbeddedTarget, call: UpstreamCall, { context, taker }: Told): Promise<void> {
  let eventCount = 0;
  for (const event of target.answer(call.request, context)) {
    call.signal?.throwIfAborted();
    if (eventCount === 0) call.onFirstByte?.();
    eventCount += 1;
    await taker.take(event);
    if (taker.hasEnough) return;
    if (eventCount % eventsPerTurn === 0) await nextTurn();
  }
}

/** A whole answer as the events of a stream, for who asked for one: its usage comes first, and is of all that follows. */
function toStreamEvent(event: UpstreamEvent): UpstreamEvent {
  if (event.type === 'usage') return { ...event, isOfNextChunk: true };
  return event.type === 'completion' ? { type: 'chunk', chunk: completionToChunk(event.completion) } : event;
}

async function readRefusal(
  exchange: HttpExchange,
  head: ResponseHead,
  { call, target, nowMs }: { call: UpstreamCall; target: HttpTarget; nowMs: number },
) {
  const words = openBody(exchange, head, target.providerId);
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for (let piece = await words.read(); piece !== null && bytes < refusalBytesMax; piece = await words.read()) {
      pieces.push(piece);
      bytes += piece.length;
    }
    exchange.release();
  } catch (error) {
    // The status says enough, even when the words to it were cut off.
    if (call.signal?.aborted) throw error;
  } finally {
    words.close?.();
  }
  const body = new TextDecoder().decode(Buffer.concat(pieces).subarray(0, refusalBytesMax));
  const refusal: UpstreamRefusal = { status: head.status, retryAfterMs: findRetryAfterMs(head, nowMs), body };
  return target.adapter.parseError(refusal, target);
}
