import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import type { Logger } from '../kernel/logger.js';
import { formatCredits, toCredits, toMillicredits } from '../kernel/millicredits.js';
import { type KeyAuthenticator, readKeyFromHeaders } from '../keys/authenticate-key.js';
import { toCompletionUsage } from '../providers/token-usage.js';
import { parseChatRequest } from '../proxy/chat-request.js';
import { type ProxyEvent, type ProxyServices, proxyChatCompletion } from '../proxy/proxy-chat-completion.js';
import type { CallBill } from '../proxy/settle-call.js';
import { type OpenaiErrorAnswer, toOpenaiError } from './openai-error.js';
import { readBodyText } from './read-body.js';
import { RateLimitedError, type RequestRateLimit } from './request-rate-limit.js';
import { SseWriter, sseHeaders } from './sse-writer.js';

/** Images dominate; beyond this a caller had better send links. */
export const bodyBytesMax = 20 * 1024 * 1024;

export interface ProxyRouteServices extends ProxyServices {
  readonly authenticator: KeyAuthenticator;
  readonly rateLimit: RequestRateLimit;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Answers one `POST …/chat/completions`: who is it, may they, what do they want; then the call itself, as one JSON body or
 * as a stream. Every refusal is an OpenAI error body and carries the call's id as `x-request-id`.
 */
export async function handleProxyCall(
  request: IncomingMessage,
  response: ServerResponse,
  services: ProxyRouteServices,
): Promise<void> {
  const id = createId('call');
  const startedAtMs = services.clock.nowMs();
  const callerLeft = new AbortController();
  response.setHeader('x-request-id', id);
  response.on('close', () => {
    if (!response.writableFinished) callerLeft.abort(new Error('The caller has left.'));
  });
  try {
    const key = await services.authenticator.authenticate(readKeyFromHeaders(request.headers));
    setHeaders(response, await services.rateLimit.take(key.accountId));
    const { request: chat, wantsUsageChunk } = parseChatRequest(await readBodyText(request, bodyBytesMax));
    // A plain answer is finished and billed even when its caller has left: the provider bills it whole as well.
    const signal = chat.stream ? callerLeft.signal : new AbortController().signal;
    const events = proxyChatCompletion({ id, key, request: chat, startedAtMs, signal }, services);
    if (chat.stream) await answerStreamed(response, events, { wantsUsageChunk, callerLeft: signal });
    else await answerPlain(response, events);
  } catch (error) {
    if (callerLeft.signal.aborted || response.destroyed) services.logger.info('caller_left', { callId: id });
    else answerError(response, error, id, services.logger);
  }
}

async function answerPlain(response: ServerResponse, events: AsyncGenerator<ProxyEvent>): Promise<void> {
  let answer: object = {};
  for await (const event of events) {
    if (event.type === 'admitted') setOutputCapHeader(response, event.loweredOutputCap);
    if (event.type === 'completion') answer = event.completion;
    if (event.type === 'billed') {
      setChargeHeaders(response, event.bill);
      answer = { ...answer, usage: toBilledUsage(event.bill) };
    }
  }
  const text = Buffer.from(JSON.stringify(answer));
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': text.length });
  response.end(text);
}

async function answerStreamed(
  response: ServerResponse,
  events: AsyncGenerator<ProxyEvent>,
  { wantsUsageChunk, callerLeft }: { wantsUsageChunk: boolean; callerLeft: AbortSignal },
): Promise<void> {
  const writer = new SseWriter(response, callerLeft);
  let lastChunk: object | null = null;
  for await (const event of events) {
    if (event.type === 'admitted') setOutputCapHeader(response, event.loweredOutputCap);
    if (event.type === 'chunk') {
      if (!lastChunk) response.writeHead(200, sseHeaders);
      lastChunk = event.chunk;
      if (wantsUsageChunk) event.chunk.usage = null;
      await writer.writeData(JSON.stringify(event.chunk));
    }
    if (event.type === 'billed' && wantsUsageChunk && lastChunk) {
      await writer.writeData(JSON.stringify({ ...lastChunk, choices: [], usage: toBilledUsage(event.bill) }));
    }
  }
  if (!response.headersSent) response.writeHead(200, sseHeaders);
  writer.endDone();
}

function toBilledUsage({ tokens, charge }: CallBill): object {
  const usage = toCompletionUsage(tokens);
  return charge ? { ...usage, credits: toCredits(toMillicredits(charge.chargedMillicredits)) } : usage;
}

function setChargeHeaders(response: ServerResponse, { charge }: CallBill): void {
  if (!charge) return;
  response.setHeader('x-credits-charged', formatCredits(toMillicredits(charge.chargedMillicredits)));
  response.setHeader('x-credits-remaining', formatCredits(toMillicredits(charge.availableAfterMillicredits)));
}

function setOutputCapHeader(response: ServerResponse, loweredOutputCap: number | null): void {
  if (loweredOutputCap !== null) response.setHeader('x-credits-output-cap', loweredOutputCap);
}

function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function answerError(response: ServerResponse, error: unknown, callId: string, logger: Logger): void {
  const answer = toOpenaiError(error);
  const { status, body, logLevel } = answer;
  logger[logLevel]('call_refused', {
    callId,
    code: body.error.code,
    status,
    ...(logLevel === 'error' ? { error } : {}),
  });
  if (response.headersSent) {
    new SseWriter(response, AbortSignal.abort()).endWithError(body);
    return;
  }
  if (error instanceof RateLimitedError) setHeaders(response, error.headers);
  sendOpenaiError(response, answer);
}

/** Sends an OpenAI error body to a caller who has been sent nothing yet. */
export function sendOpenaiError(
  response: ServerResponse,
  { status, headers, body }: Pick<OpenaiErrorAnswer, 'status' | 'headers' | 'body'>,
): void {
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': text.length,
  });
  response.end(text);
}
