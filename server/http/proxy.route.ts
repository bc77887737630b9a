import type {
  EarlierAnswer,
  IdempotentAnswers,
  KeyedRequest,
  RetriedRequest,
} from '../idempotency/idempotent-answers.js';
import type { Logger } from '../kernel/logger.js';
import type { AuthenticatedKey } from '../keys/authenticate-key.js';
import type { ConcurrentCalls } from '../limits/concurrent-calls.js';
import type { FreeLeaves } from '../limits/free-leaves.js';
import { CallerTranslator } from '../proxy/caller-dialect.js';
import { parseChatRequest } from '../proxy/chat-request.js';
import type { ProxyServices } from '../proxy/proxy-call.js';
import { proxyChatCompletion } from '../proxy/proxy-chat-completion.js';
import type { ReceiptReader } from '../usage/receipt-reader.js';
import { answerPlain, answerStreamed } from './answer-call.js';
import { answerError } from './answer-error.js';
import { CallerPresence } from './caller-presence.js';
import { type ProxyExchange, sendJsonText, stampProcessingTime } from './proxy-exchange.js';
import { bodyBytesMax, readBodyText } from './read-body.js';
import { sseHeaders } from './sse-writer.js';

export interface ProxyRouteServices extends ProxyServices {
  readonly concurrentCalls: ConcurrentCalls;
  readonly freeLeaves: FreeLeaves;
  readonly idempotentAnswers: Pick<IdempotentAnswers, 'claim' | 'keep' | 'forget' | 'keepForRetry' | 'findForRetry'>;
  readonly receipts: Pick<ReceiptReader, 'findReceipt'>;
  readonly logger: Logger;
}

/**
 * Answers one `POST …/chat/completions` of a caller who was let in: what do they want; then the call itself, as one JSON
 * body or as a stream. Every refusal is an OpenAI error body.
 * @throws AppError `concurrency_limit_exceeded`, or `rate_limit_exceeded` for who keeps leaving calls before they are sent; everything else it answers itself.
 */
export async function handleProxyCall(
  exchange: ProxyExchange,
  key: AuthenticatedKey,
  services: ProxyRouteServices,
): Promise<void> {
  const { id, startedAtMs, request, response } = exchange;
  const caller = new CallerPresence(response);
  services.freeLeaves.assertFew(key.accountId);
  const leave = services.concurrentCalls.enter(key.accountId);
  let keyed: KeyedRequest | null = null;
  try {
    const body = await readBodyText(request, bodyBytesMax);
    const { request: chat, wantsUsageChunk, dialect } = parseChatRequest(body);
    const wanted = toKeyedRequest(exchange, key, body);
    const retried = wanted === null && !chat.stream ? { ...identityOf(key), body } : null;
    const earlier = await findEarlierAnswer(exchange, { wanted, retried }, services);
    if (earlier) {
      replay(exchange, earlier, chat.stream === true);
      return;
    }
    keyed = wanted;
    if (caller.hasLeft) {
      services.freeLeaves.note(key.accountId);
      throw new Error('The caller has left.');
    }
    // A plain answer is finished and billed even when its caller has left: the provider bills it whole as well.
    const left = chat.stream ? caller.left : null;
    const events = proxyChatCompletion(
      { id, key, request: chat, providerHeader: readProviderHeader(exchange), startedAtMs, left },
      services,
    );
    const translator = CallerTranslator.create(dialect);
    const keep = findKeeper({ callId: id, caller, keyed, retried }, services);
    response.setHeader('x-generation-id', id);
    if (chat.stream) await answerStreamed(exchange, events, { wantsUsageChunk, translator, keep, caller });
    else await answerPlain(exchange, events, { translator, keep });
  } catch (error) {
    if (keyed) await letGo(keyed, services);
    if (caller.hasLeft || response.destroyed) services.logger.info('caller_left', { callId: id });
    else answerError(exchange, error, services.logger);
  } finally {
    leave();
  }
}

const identityOf = ({ accountId, keyId }: AuthenticatedKey) => ({ accountId, apiKeyId: keyId });

// OpenAI's clients send a request again when they gave up waiting, and say so; what was billed meanwhile is their answer.
async function findEarlierAnswer(
  { request }: ProxyExchange,
  { wanted, retried }: { wanted: KeyedRequest | null; retried: RetriedRequest | null },
  { idempotentAnswers }: ProxyRouteServices,
): Promise<EarlierAnswer> {
  if (wanted) return idempotentAnswers.claim(wanted);
  const isRetry = Number(request.headers['x-stainless-retry-count'] ?? 0) > 0;
  return isRetry && retried ? idempotentAnswers.findForRetry(retried) : null;
}

/** Who keeps the answer: for its `Idempotency-Key`, or, if its caller has left by then, for a client that comes again. */
function findKeeper(
  parts: { callId: string; caller: CallerPresence; keyed: KeyedRequest | null; retried: RetriedRequest | null },
  { idempotentAnswers }: ProxyRouteServices,
): ((answer: string | null) => Promise<void>) | null {
  const { callId, caller, keyed, retried } = parts;
  if (keyed) return (answer) => idempotentAnswers.keep(keyed, answer);
  if (!retried) return null;
  return async (answer) => {
    if (caller.hasLeft && answer !== null) await idempotentAnswers.keepForRetry(retried, callId, answer);
  };
}

function readProviderHeader({ request }: ProxyExchange): string | null {
  const header = request.headers['x-tollgate-provider'];
  return typeof header === 'string' ? header.trim() || null : null;
}

function toKeyedRequest({ id, request }: ProxyExchange, { accountId }: AuthenticatedKey, body: string) {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' ? { accountId, key, body, callId: id } : null;
}

// What cost nothing may be asked again with the same key; what was billed may not, though its answer broke off.
async function letGo(keyed: KeyedRequest, { receipts, idempotentAnswers }: ProxyRouteServices): Promise<void> {
  const receipt = await receipts.findReceipt(keyed.accountId, keyed.callId).catch(() => null);
  if (receipt && receipt.chargedMillicredits > 0) await idempotentAnswers.keep(keyed, null);
  else await idempotentAnswers.forget(keyed);
}

function replay(exchange: ProxyExchange, { callId, answer }: NonNullable<EarlierAnswer>, isStreamed: boolean): void {
  const { response } = exchange;
  response.setHeader('idempotency-replayed', 'true');
  response.setHeader('x-generation-id', callId);
  response.setHeader('x-credits-charged', '0.000');
  if (!isStreamed) {
    sendJsonText(exchange, answer);
    return;
  }
  stampProcessingTime(exchange);
  response.writeHead(200, sseHeaders);
  response.end(answer);
}
