import type { Response } from 'express';
import type { IdempotentAnswers, KeyedRequest } from '../../idempotency/idempotent-answers.js';
import type { RetriedRequest } from '../../idempotency/retried-answers.js';
import type { Logger } from '../../kernel/logger.js';
import type { AuthenticatedKey } from '../../keys/authenticate-key.js';
import type { AdmissionQueue } from '../../limits/admission-queue.js';
import type { ConcurrentCalls } from '../../limits/concurrent-calls.js';
import type { FreeCalls } from '../../limits/free-calls.js';
import type { ChatRequest } from '../../providers/chat-types.js';
import { isEmbeddingRequest } from '../../providers/embeddings/embedding-types.js';
import type { ProxyActivity } from '../../proxy/proxy-activity.js';
import type { ProxyServices } from '../../proxy/proxy-call.js';
import { proxyChatCompletion } from '../../proxy/proxy-chat-completion.js';
import { type CallMarks, checkTag } from '../../proxy/requests/call-marks.js';
import { decodeInputs } from '../../proxy/requests/decode-inputs.js';
import type { ParsedRequest } from '../../proxy/requests/parse-request.js';
import { identifyBody, limitsOf, type ReceivedBody } from '../../proxy/requests/received-body.js';
import type { RequestParser } from '../../proxy/requests/request-parser.js';
import { answerPlain, answerStreamed, type RunCall, type StoreAnswer } from './answer-call.js';
import { answerEmbeddings } from './answer-embeddings.js';
import { answerError, type RefusalServices } from './answer-error.js';
import type { BodyMemory, BodyRoom } from './body-memory.js';
import { CallerPresence } from './caller-presence.js';
import { createAnswer } from './create-answer.js';
import { type EarlierAnswerServices, findEarlierAnswer, replayAnswer } from './earlier-answer.js';
import { findEarlierOutputs, findOutputStore, type KeptItemsService } from './earlier-outputs.js';
import type { ProxyExchange } from './proxy-exchange.js';
import { readBody } from './read-body.js';
import { RetryOffer } from './retry-offer.js';
import { sizeAnswer } from './size-answer.js';
import { correctTokens, type TokenAllowanceServices, takeTokens } from './token-allowance.js';

const tagHeader = 'x-tollgate-tag';

export interface ProxyRouteServices
  extends ProxyServices,
    EarlierAnswerServices,
    TokenAllowanceServices,
    RefusalServices,
    KeptItemsService {
  readonly concurrentCalls: ConcurrentCalls;
  /** null: a key may run as many as its account. */
  readonly concurrentCallsOfKey: ConcurrentCalls | null;
  readonly admissionQueue: AdmissionQueue;
  readonly activity: ProxyActivity;
  readonly bodyMemory: BodyMemory;
  readonly requestParser: RequestParser;
  readonly freeCalls: FreeCalls;
  readonly idempotentAnswers: IdempotentAnswers;
  /** Refuses new calls during maintenance. */
  readonly announcements: { assertCallsTaken(): void };
  readonly logger: Logger;
}

/**
 * Answers one call of a caller who was let in, on whichever wire: what do they want; then the call itself, as one JSON body or
 * as a stream. Every refusal is an error body of that wire.
 * @throws AppError `concurrency_limit_exceeded`, or `rate_limit_exceeded` for an account that had too many calls for nothing; everything else it answers itself.
 */
export async function handleProxyCall(
  exchange: ProxyExchange,
  key: AuthenticatedKey,
  services: ProxyRouteServices,
): Promise<void> {
  const { id, callerRequestId, startedAtMs, begunMs, response, trace } = exchange;
  const caller = new CallerPresence(response);
  services.freeCalls.assertFew(key.accountId);
  const leave = enterCalls(exchange, key, services);
  const room = services.bodyMemory.open(key.accountId);
  let keyed: KeyedRequest | null = null;
  let offer: RetryOffer | null = null;
  try {
    // Nothing was answered on it yet.
    const isFirst = response.socket?.bytesWritten === 0;
    const begun = services.admissionQueue.enter(caller, isFirst);
    if (begun !== null) await begun;
    const { body, parsed, chat, marks } = await readAsked(exchange, key, room, services);
    const wanted = toKeyedRequest(exchange, key, body);
    const retried = wanted === null && !chat.stream ? toRetriedRequest(exchange, key, body) : null;
    const found = findEarlierAnswer({ key, model: chat.model, wanted, retried, caller }, services);
    const earlier = found === null ? null : await found;
    // It is claimed by now, and let go of whatever fails from here on.
    if (!earlier) keyed = wanted;
    // A body may come slowly, and an answer be waited for.
    if (key.proveStanding) await key.proveStanding();
    if (earlier) {
      await replayAnswer(exchange, earlier, { isStreamed: chat.stream === true, caller });
      return;
    }
    if (retried) offer = new RetryOffer(retried, id, caller, services.idempotentAnswers.retries);
    if (caller.hasLeft) {
      void services.freeCalls.note(key.accountId, 0);
      throw new Error('The caller has left.');
    }
    // After the answers that are billed already: those are given out.
    services.announcements.assertCallsTaken();
    // One that waited for the same call of this process needs none of its own: that call's is held until both are read.
    room.growForAnswer(sizeAnswer(chat, services.catalogue.findModel(chat.model)));
    // A plain answer that a provider was asked for is finished and billed even when its caller has left: the provider bills it whole as well.
    const callerGone = chat.stream ? caller.left : null;
    const tokens = takeTokens(exchange, { key, request: chat }, services);
    const taken = tokens === null ? null : await tokens;
    const providerHeader = readProviderHeader(exchange);
    const waiters = keyed && services.idempotentAnswers.findWaiters(keyed);
    const asked = { key, request: chat, providerHeader, marks, caller, callerGone, waiters };
    const call = { id, callerRequestId, startedAtMs, begunMs, trace, ...asked };
    const uncorrected: RunCall = (sink) => proxyChatCompletion(call, sink, services);
    const run = taken ? correctTokens(uncorrected, taken) : uncorrected;
    const wire = createAnswer(exchange, parsed);
    exchange.answer = wire;
    const storeAnswer = findAnswerStore({ id, keyed, offer, room }, services);
    const storeOutput = findOutputStore(exchange, key, { wire, parsed }, services);
    const answer = { wire, storeAnswer, storeOutput };
    response.setHeader('x-generation-id', id);
    if (chat.stream) {
      await services.activity.streams.during(() => answerStreamed(exchange, run, { ...answer, caller, room }));
    } else if (isEmbeddingRequest(chat)) {
      await answerEmbeddings(exchange, run, { request: chat, storeAnswer, caller });
    } else await answerPlain(exchange, run, answer);
  } catch (error) {
    if (keyed) await services.idempotentAnswers.releaseClaim(keyed);
    if (caller.hasLeft || response.destroyed)
      services.logger.info('caller_left', { callId: id, traceId: trace?.traceId });
    else answerError(exchange, error, services);
  } finally {
    const closed = offer?.close() ?? null;
    if (closed !== null) await closed;
    afterItsBytes(response, room, () => {
      room.release();
      leave();
    });
  }
}

/**
 * Does something once all bytes of an answer have left or its connection is gone, at once when none wait. Those that wait take room,
 * as far as there is some: the answer is paid for, and is sent in any case.
 */
function afterItsBytes(response: Response, room: BodyRoom, next: () => void): void {
  const waitingBytes = response.closed ? 0 : (response.socket?.writableLength ?? 0);
  if (waitingBytes === 0) {
    next();
    return;
  }
  room.tryGrowBy(waitingBytes);
  response.once('close', next);
}

interface AskedRequest {
  /** What tells it from every other one. */
  readonly body: string;
  readonly parsed: ParsedRequest;
  readonly chat: ChatRequest;
  readonly marks: CallMarks;
}

/** Reads what was asked; `room` has grown by all that has to be held of it. */
async function readAsked(
  exchange: ProxyExchange,
  key: AuthenticatedKey,
  room: BodyRoom,
  services: ProxyRouteServices,
): Promise<AskedRequest> {
  const { request, wire, model } = exchange;
  const tag = readTagHeader(exchange);
  const whole = await readBody(request, room, { limits: limitsOf(wire) });
  const body = identify(exchange, whole);
  const referred = findEarlierOutputs(exchange, key, { received: whole, room }, services);
  const { received, earlier } = referred instanceof Promise ? await referred : referred;
  const parsing = services.requestParser.parse(received, { wire, model, earlier });
  const parsed = parsing instanceof Promise ? await parsing : parsing;
  const decoded = decodeInputs(parsed.request, services);
  const chat = decoded instanceof Promise ? await decoded : decoded;
  exchange.askedModel = chat.model;
  return { body, parsed, chat, marks: tag === null ? parsed.marks : { ...parsed.marks, tag } };
}

function enterCalls(
  { ownLimits }: ProxyExchange,
  { accountId, keyId }: AuthenticatedKey,
  services: ProxyRouteServices,
): () => void {
  const leaveKey = services.concurrentCallsOfKey?.enter(keyId);
  try {
    const leave = services.concurrentCalls.enter(accountId, ownLimits.concurrentCalls ?? undefined);
    return () => {
      leave();
      leaveKey?.();
    };
  } catch (error) {
    leaveKey?.();
    throw error;
  }
}

// A body may mean something on two wires, for two models or of two providers, and its answers differ.
function identify(exchange: ProxyExchange, received: ReceivedBody): string {
  const { wire, model } = exchange;
  const provider = readProviderHeader(exchange);
  const body = provider === null ? identifyBody(received) : `@${provider}:${identifyBody(received)}`;
  if (model !== null) return `${wire} ${model}:${body}`;
  return wire === 'chat' ? body : `${wire}:${body}`;
}

function toRetriedRequest({ request }: ProxyExchange, key: AuthenticatedKey, body: string): RetriedRequest {
  const { accountId, keyId: apiKeyId } = key;
  return { accountId, apiKeyId, body, retryCount: readRetryCount(request.headers['x-stainless-retry-count']) };
}

// Whatever else stands there says nothing, as where there is no such header.
function readRetryCount(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,9}$/.test(header) ? Number(header) : 0;
}

/** Where the answer is stored: for its `Idempotency-Key`, or, if its caller has left by then, for a client that comes again. */
function findAnswerStore(
  { id, keyed, offer, room }: { id: string; keyed: KeyedRequest | null; offer: RetryOffer | null; room: BodyRoom },
  { idempotentAnswers }: ProxyRouteServices,
): StoreAnswer | null {
  if (keyed === null && offer === null) return null;
  return (answer) => {
    // They may read it long after its own caller has.
    const waiters = idempotentAnswers.findWaiters({ callId: id });
    if (waiters !== null && answer !== null) room.holdFor(waiters);
    return keyed ? idempotentAnswers.keep(keyed, answer) : (offer?.keep(answer) ?? null);
  };
}

function readProviderHeader({ request }: ProxyExchange): string | null {
  const header = request.headers['x-tollgate-provider'];
  return typeof header === 'string' ? header.trim() || null : null;
}

// It stands above the body's, as for a client whose body is fixed.
function readTagHeader({ request }: ProxyExchange): string | null {
  const header = request.headers[tagHeader];
  return header === undefined ? null : checkTag(header, tagHeader);
}

function toKeyedRequest({ id, request }: ProxyExchange, { accountId }: AuthenticatedKey, body: string) {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' ? { accountId, key, body, callId: id } : null;
}
