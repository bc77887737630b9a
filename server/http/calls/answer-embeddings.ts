import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EmbeddingRequest } from '../../providers/embeddings/embedding-types.js';
import type { WholeEvent } from '../../proxy/answer-reading.js';
import { estimateEmbeddingsBytes, writeEmbeddings } from '../../wires/embeddings/embeddings-answer.js';
import { type RunCall, type StoreAnswer, setChargeHeaders, sinkOfWhole, toBilledUsage } from './answer-call.js';
import type { CallerPresence } from './caller-presence.js';
import { type ProxyExchange, sendJsonText, stampProcessingTime } from './proxy-exchange.js';

interface EmbeddingsOptions {
  readonly request: EmbeddingRequest;
  /** As for a plain answer. */
  readonly storeAnswer: StoreAnswer | null;
  readonly caller: CallerPresence;
}

/** Of a body that is sent in pieces. */
export const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' } as const;

/** A smaller answer is written whole, and may be kept. */
const wholeBytesMax = 512 * 1024;
/** So long the event loop is held at one stretch. */
const stepMs = 4;

const noVectors: Pick<Extract<WholeEvent, { type: 'embeddings' }>, 'vectors' | 'texts'> = {
  vectors: [],
  texts: new Map(),
};

/** Sends vectors as one JSON body, once they are billed: a long one no faster than its reader takes it, and in steps. */
export async function answerEmbeddings(
  exchange: ProxyExchange,
  run: RunCall,
  { request, storeAnswer, caller }: EmbeddingsOptions,
): Promise<void> {
  const { whole, bill } = await run(sinkOfWhole(exchange, () => {}));
  setChargeHeaders(exchange.response, bill);
  const { vectors, texts } = whole?.type === 'embeddings' ? whole : noVectors;
  const usage = toBilledUsage(bill);
  const { encoding } = request.embedding;
  const written = { callId: exchange.id, model: request.model, encoding, vectors, texts, usage };
  const write = () => writeEmbeddings(written);
  if (estimateEmbeddingsBytes({ encoding, vectors }) <= wholeBytesMax) {
    let json = '';
    for await (const piece of inSteps(write())) json += piece;
    await storeAnswer?.(json);
    sendJsonText(exchange, json);
    return;
  }
  await storeAnswer?.(write);
  await sendPieces(exchange, write(), { caller, headers: jsonHeaders });
}

async function* inSteps(pieces: Iterable<string>): AsyncGenerator<string, void, undefined> {
  let stepEndsMs = performance.now() + stepMs;
  for (const piece of pieces) {
    yield piece;
    if (performance.now() < stepEndsMs) continue;
    await nextTurn();
    stepEndsMs = performance.now() + stepMs;
  }
}

/** Sends a long body no faster than its reader takes it, and writes it in steps. */
export async function sendPieces(
  exchange: ProxyExchange,
  pieces: Iterable<string>,
  { caller, headers }: { readonly caller: CallerPresence; readonly headers: Readonly<Record<string, string>> },
): Promise<void> {
  const { response } = exchange;
  stampProcessingTime(exchange);
  response.writeHead(200, headers);
  for await (const piece of inSteps(pieces)) {
    if (caller.hasLeft || response.destroyed) return;
    if (!response.write(piece)) await waitForReader(exchange, caller);
  }
  response.end();
}

async function waitForReader({ response }: ProxyExchange, { left }: CallerPresence): Promise<void> {
  try {
    await once(response, 'drain', { signal: left });
  } catch {
    response.destroy();
  }
}
