import type { Response } from 'express';
import type { WholeAnswer } from '../../idempotency/whole-answer.js';
import { formatCredits, toCredits, toMillicredits } from '../../kernel/millicredits.js';
import type { CompletionUsage } from '../../providers/chat-types.js';
import { encodeJson } from '../../providers/encode-json.js';
import { toCompletionUsage } from '../../providers/token-usage.js';
import type { AnswerSink, WholeEvent } from '../../proxy/answer-reading.js';
import type { BilledAnswer } from '../../proxy/proxy-chat-completion.js';
import type { CallBill } from '../../proxy/settle-call.js';
import type { AnswerWire } from '../../wires/answer-wire.js';
import type { BodyRoom } from './body-memory.js';
import type { CallerPresence } from './caller-presence.js';
import { type ProxyExchange, sendJsonText, stampProcessingTime } from './proxy-exchange.js';
import { SseWriter } from './sse-writer.js';

/** Runs the call, and gives its answer to this sink as it comes. */
export type RunCall = (sink: AnswerSink) => Promise<BilledAnswer>;

/**
 * Is given the whole answer before its last byte leaves, or null when that was too large to remember. @returns what is waited for
 * before that byte leaves; null: nothing.
 */
export type StoreAnswer = (answer: WholeAnswer | null) => Promise<void> | null;

interface AnswerOptions {
  readonly wire: AnswerWire;
  /** null: nobody wants it. */
  readonly storeAnswer: StoreAnswer | null;
  /** Is told when the answer is whole, before its last byte leaves, so that the next request may refer to it; null: nobody is. */
  readonly storeOutput: (() => Promise<void>) | null;
}

interface StreamOptions extends AnswerOptions {
  readonly caller: CallerPresence;
  /** The call's own, which a long answer that is kept grows. */
  readonly room: BodyRoom;
}

const wholeCharactersMax = 1_000_000;

/** Sends a call's answer as one JSON body, once it is billed. */
export async function answerPlain(
  exchange: ProxyExchange,
  run: RunCall,
  { wire, storeAnswer, storeOutput }: AnswerOptions,
): Promise<void> {
  let toBody: (usage: CompletionUsage) => object = () => ({});
  const read = (event: WholeEvent) => {
    if (event.type === 'completion') toBody = wire.toBody(event.completion);
  };
  const { bill } = await run(sinkOfWhole(exchange, read));
  setChargeHeaders(exchange.response, bill);
  const answer = toBody(toBilledUsage(bill));
  const encoded = encodeJson(answer);
  const json = typeof encoded === 'string' ? encoded : await encoded;
  const stored = storeAnswer?.(json) ?? null;
  if (stored !== null) await stored;
  if (storeOutput !== null) await storeOutput();
  sendJsonText(exchange, json);
}

/** Of an answer that is sent when it is whole. @param read Reads it before it is billed. */
export function sinkOfWhole(exchange: ProxyExchange, read: AnswerSink['whole']): AnswerSink {
  return {
    whole: read,
    admitted: (loweredOutputCap) => noteAdmission(exchange, loweredOutputCap),
    chunk: () => null,
    hasTold: false,
  };
}

/**
 * How long an admitted stream stays without headers, so that a provider's quick refusal can have its own status. Proxies on
 * the way give up on a silent connection, and models may think for minutes before the first event.
 */
const headersGraceMs = 5_000;

/**
 * Sends a call's answer piece by piece; its end leaves once it is billed. The headers leave with the first piece, or when
 * nothing has come for five seconds; from then on a failure is an event. A caller who left is sent nothing more, but the
 * answer is read to its end where the call itself decides so.
 */
export async function answerStreamed(
  exchange: ProxyExchange,
  run: RunCall,
  { wire, storeAnswer, storeOutput, caller, room }: StreamOptions,
): Promise<void> {
  const { response } = exchange;
  const writer = new SseWriter(response, caller.left, storeAnswer === null ? null : room);
  const begin = () => {
    if (writer.hasBegun || caller.hasLeft) return;
    stampProcessingTime(exchange);
    writer.begin();
  };
  let grace: NodeJS.Timeout | null = null;
  let hasTold = false;
  const sink: AnswerSink = {
    whole: () => {},
    get hasTold() {
      return hasTold;
    },
    admitted(loweredOutputCap) {
      noteAdmission(exchange, loweredOutputCap);
      grace = setTimeout(begin, headersGraceMs);
    },
    chunk(chunk) {
      const told = wire.toEvents(chunk);
      // Not before: a piece that cannot be written was not told.
      hasTold = wire.hasTold;
      if (told === '') return null;
      begin();
      return writer.write(told);
    },
  };
  let end = '';
  try {
    const { bill } = await run(sink);
    end = wire.toEnd(toBilledUsage(bill));
  } catch (error) {
    // An error event follows what has come.
    writer.handBack();
    throw error;
  } finally {
    if (grace) clearTimeout(grace);
  }
  const { kept } = writer;
  await storeAnswer?.(kept === null ? null : toWhole([...kept, end]));
  await storeOutput?.();
  begin();
  writer.end(end);
}

// What is longer is kept by no store, and never put together.
function toWhole(pieces: readonly string[]): WholeAnswer {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  return length > wholeCharactersMax ? () => pieces : pieces.join('');
}

/** What a call used, as OpenAI's clients read it, with what it cost once that is booked. */
export function toBilledUsage({ tokens, charge }: CallBill): CompletionUsage {
  const usage = toCompletionUsage(tokens);
  if (charge) usage.credits = toCredits(toMillicredits(charge.chargedMillicredits));
  return usage;
}

/** Says in headers what a call cost and what is left; nothing while it waits to be booked. */
export function setChargeHeaders(response: Response, { charge }: CallBill): void {
  if (!charge) return;
  response.setHeader('x-credits-charged', formatCredits(toMillicredits(charge.chargedMillicredits)));
  response.setHeader('x-credits-remaining', formatCredits(toMillicredits(charge.availableAfterMillicredits)));
}

function noteAdmission(exchange: ProxyExchange, loweredOutputCap: number | null): void {
  exchange.hasReceipt = true;
  const { response } = exchange;
  if (loweredOutputCap !== null) response.setHeader('x-credits-output-cap', loweredOutputCap);
}
