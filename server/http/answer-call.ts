import type { Response } from 'express';
import { formatCredits, toCredits, toMillicredits } from '../kernel/millicredits.js';
import type { ChatCompletion, CompletionUsage } from '../providers/chat-types.js';
import { encodeJson } from '../providers/encode-json.js';
import { toCompletionUsage } from '../providers/token-usage.js';
import type { CallerTranslator } from '../proxy/caller-dialect.js';
import type { ProxyEvent } from '../proxy/proxy-chat-completion.js';
import type { CallBill } from '../proxy/settle-call.js';
import type { CallerPresence } from './caller-presence.js';
import { type ProxyExchange, sendJsonText, stampProcessingTime } from './proxy-exchange.js';
import { SseWriter } from './sse-writer.js';

interface AnswerOptions {
  /** null: the caller speaks as we do. */
  readonly translator: CallerTranslator | null;
  /** Is given the whole answer before its last byte leaves, or null when that is too large; null: nobody wants it. */
  readonly keep: ((answer: string | null) => Promise<void>) | null;
}

/** More than any store of answers takes. */
const keptBytesMax = 4 * 1024 * 1024;

/** Sends a call's answer as one JSON body, once it is billed. */
export async function answerPlain(
  exchange: ProxyExchange,
  events: AsyncGenerator<ProxyEvent>,
  { translator, keep }: AnswerOptions,
): Promise<void> {
  const { response } = exchange;
  let answer: ChatCompletion | null = null;
  for await (const event of events) {
    if (event.type === 'admitted') setOutputCapHeader(response, event.loweredOutputCap);
    if (event.type === 'completion') {
      translator?.translateCompletion(event.completion);
      answer = event.completion;
    }
    if (event.type === 'billed') {
      setChargeHeaders(response, event.bill);
      if (answer) answer.usage = toBilledUsage(event.bill);
    }
  }
  const encoded = encodeJson(answer ?? {});
  const json = typeof encoded === 'string' ? encoded : await encoded;
  // What is too long to be kept need not be made a text of again.
  if (keep) await keep(json.length > keptBytesMax ? null : json.toString());
  sendJsonText(exchange, json);
}

interface StreamOptions extends AnswerOptions {
  readonly wantsUsageChunk: boolean;
  readonly caller: CallerPresence;
}

/**
 * Sends a call's answer piece by piece; `[DONE]` leaves once it is billed. A caller who left is sent nothing more, but the
 * events are read until they end, which the call itself sees to.
 */
export async function answerStreamed(
  exchange: ProxyExchange,
  events: AsyncGenerator<ProxyEvent>,
  { wantsUsageChunk, translator, keep, caller }: StreamOptions,
): Promise<void> {
  const { response } = exchange;
  const writer = new SseWriter(response, caller.left, { isKept: keep !== null });
  let lastChunk: object | null = null;
  try {
    for await (const event of events) {
      if (event.type === 'admitted') setOutputCapHeader(response, event.loweredOutputCap);
      if (event.type === 'chunk') {
        if (lastChunk === null) stampProcessingTime(exchange);
        lastChunk = event.chunk;
        translator?.translateChunk(event.chunk);
        if (wantsUsageChunk) event.chunk.usage = null;
        await writer.writeData(JSON.stringify(event.chunk));
      }
      if (event.type === 'billed' && wantsUsageChunk && lastChunk) {
        await writer.writeData(JSON.stringify({ ...lastChunk, choices: [], usage: toBilledUsage(event.bill) }));
      }
    }
  } catch (error) {
    // An error event follows what has come.
    writer.flush();
    throw error;
  }
  await keep?.(writer.wholeStream);
  writer.endDone();
}

function toBilledUsage({ tokens, charge }: CallBill): CompletionUsage {
  const usage = toCompletionUsage(tokens);
  return charge ? { ...usage, credits: toCredits(toMillicredits(charge.chargedMillicredits)) } : usage;
}

function setChargeHeaders(response: Response, { charge }: CallBill): void {
  if (!charge) return;
  response.setHeader('x-credits-charged', formatCredits(toMillicredits(charge.chargedMillicredits)));
  response.setHeader('x-credits-remaining', formatCredits(toMillicredits(charge.availableAfterMillicredits)));
}

function setOutputCapHeader(response: Response, loweredOutputCap: number | null): void {
  if (loweredOutputCap !== null) response.setHeader('x-credits-output-cap', loweredOutputCap);
}
