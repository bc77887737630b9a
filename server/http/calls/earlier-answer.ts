import type { BilledAnswer } from '../../idempotency/claim-rows.js';
import { idempotencyErrors } from '../../idempotency/idempotency-errors.js';
import type { IdempotentAnswers, KeyedRequest } from '../../idempotency/idempotent-answers.js';
import type { RetriedAnswers, RetriedRequest } from '../../idempotency/retried-answers.js';
import type { JoinTimeouts } from '../../idempotency/wait-for-end.js';
import type { WholeAnswer } from '../../idempotency/whole-answer.js';
import { AppError } from '../../kernel/app-error.js';
import type { AuthenticatedKey } from '../../keys/authenticate-key.js';
import { keepAllowedProviders, requireModel } from '../../keys/key-permissions.js';
import { permitModel } from '../../proxy/hold-by-key.js';
import type { ProxyServices } from '../../proxy/proxy-call.js';
import type { ReceiptReader } from '../../usage/requests/receipt-reader.js';
import { jsonHeaders, sendPieces } from './answer-embeddings.js';
import type { CallerPresence } from './caller-presence.js';
import { type ProxyExchange, sendJsonText, stampProcessingTime } from './proxy-exchange.js';
import { sseHeaders } from './sse-writer.js';

export interface EarlierAnswerServices extends Pick<ProxyServices, 'catalogue' | 'callMsMax' | 'findAccountModels'> {
  readonly idempotentAnswers: Pick<IdempotentAnswers, 'claim'> & {
    readonly retries: Pick<RetriedAnswers, 'find' | 'leave'>;
  };
  readonly receipts: Pick<ReceiptReader, 'findReceipt'>;
}

interface AskedAgain {
  readonly key: AuthenticatedKey;
  /** The model, in the caller's words. */
  readonly model: string;
  readonly wanted: KeyedRequest | null;
  readonly retried: RetriedRequest | null;
  readonly caller: CallerPresence;
}

/** An answer that may be given again. */
export interface Replay {
  readonly callId: string;
  readonly answer: WholeAnswer;
}

/** An attempt that runs on another server is asked for so long; after it, its caller may come again. */
const elsewhereMs = 60_000;

/**
 * Finds what was answered to the same request before, by its `Idempotency-Key` or, for a retry of OpenAI's clients, by its
 * body; waits for it while that attempt runs. What the key may no longer do, it is not given again either.
 * @returns null: it is the first, and its `Idempotency-Key` is claimed.
 * @throws AppError as `claim` does and, for the key as it is now, as a call of its own would; `conflict` for a call that was
 *   billed and whose answer was not kept.
 */
export function findEarlierAnswer(
  asked: AskedAgain,
  services: EarlierAnswerServices,
): Replay | null | Promise<Replay | null> {
  const isRetry = asked.retried !== null && asked.retried.retryCount > 0;
  return asked.wanted || isRetry ? findPermitted(asked, services) : null;
}

async function findPermitted(asked: AskedAgain, services: EarlierAnswerServices): Promise<Replay | null> {
  const { key } = asked;
  // First of all, so that nobody learns from the answer whether a key is in use for what they may not ask.
  const model = services.catalogue.findModel(asked.model);
  if (model) await permitModel(key, model, services);
  const earlier = await findOrWait(asked, services);
  if (earlier === null) return null;
  await permitOrLeave(asked, earlier, services);
  if (earlier.answer === null) {
    throw asked.wanted ? idempotencyErrors.notKept(earlier.callId) : idempotencyErrors.notKeptForRetry(earlier.callId);
  }
  return { callId: earlier.callId, answer: earlier.answer };
}

async function findOrWait(
  { wanted, retried, caller }: AskedAgain,
  { idempotentAnswers, callMsMax }: EarlierAnswerServices,
): Promise<BilledAnswer | null> {
  const untilRead = (letGo: () => void) => caller.onEnd(letGo);
  const timeouts: JoinTimeouts = { signal: caller.left, hereMs: callMsMax, elsewhereMs, untilRead };
  if (wanted) return idempotentAnswers.claim(wanted, timeouts);
  return retried && idempotentAnswers.retries.find(retried, timeouts);
}

/** A retry that is refused what it was given, or leaves before it is written, has not had it. */
async function permitOrLeave(asked: AskedAgain, earlier: BilledAnswer, services: EarlierAnswerServices): Promise<void> {
  const { retried, caller } = asked;
  const leave = async () => {
    if (retried) await services.idempotentAnswers.retries.leave(retried, earlier.callId);
  };
  caller.onLeave(() => void leave());
  try {
    await permitReplay(asked, earlier, services);
  } catch (error) {
    await leave();
    throw error;
  }
}

// No hold looks at the key of an answer that is given again, so the key is read from the database here.
async function permitReplay(
  { key, model }: AskedAgain,
  { callId }: BilledAnswer,
  { catalogue, receipts }: EarlierAnswerServices,
): Promise<void> {
  const { accountId, permissions } = await key.reload();
  if (permissions.models === null && permissions.providers === null) return;
  const receipt = await receipts.findReceipt(accountId, callId);
  requireModel(permissions, receipt?.model ?? catalogue.findModel(model)?.id ?? model);
  if (permissions.providers === null) return;
  if (receipt === null) {
    // Its settlement waits for the database; who answered is not known before it is booked.
    throw new AppError('service_unavailable', 'This answer is not booked yet. Try again soon.', {
      retryAfterMs: 2_000,
    });
  }
  keepAllowedProviders(permissions, [{ providerId: receipt.provider }]);
}

/** Sends an answer once more, marked as such and free. */
export async function replayAnswer(
  exchange: ProxyExchange,
  { callId, answer }: Replay,
  { isStreamed, caller }: { readonly isStreamed: boolean; readonly caller: CallerPresence },
): Promise<void> {
  const { response } = exchange;
  response.setHeader('idempotency-replayed', 'true');
  response.setHeader('x-generation-id', callId);
  response.setHeader('x-credits-charged', '0.000');
  if (typeof answer === 'function') {
    return sendPieces(exchange, answer(), { caller, headers: isStreamed ? sseHeaders : jsonHeaders });
  }
  if (!isStreamed || typeof answer !== 'string') return sendJsonText(exchange, answer);
  stampProcessingTime(exchange);
  response.writeHead(200, sseHeaders);
  response.end(answer);
}
