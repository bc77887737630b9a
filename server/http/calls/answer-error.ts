import type { Logger } from '../../kernel/logger.js';
import type { RefusalLog } from '../../usage/requests/refusal-log.js';
import { toMessagesError } from '../../wires/messages/messages-error.js';
import { type OpenaiErrorAnswer, toOpenaiError } from './openai-error.js';
import { type ProxyExchange, sendError } from './proxy-exchange.js';

export interface RefusalServices {
  readonly logger: Logger;
  /** Keeps refusals for the account's own eyes. */
  readonly refusals: Pick<RefusalLog, 'note'>;
}

/**
 * Ends an exchange that failed: with a status, or, where a stream has begun, with an event that says so. Logs the refusal,
 * without a word of what was asked, and keeps it for its account where there will be no receipt to tell of it.
 */
export function answerError(exchange: ProxyExchange, error: unknown, { logger, refusals }: RefusalServices): void {
  const { id: callId, callerRequestId, response } = exchange;
  const answer = toOpenaiError(error);
  const { status, body, logLevel, isOurBug } = answer;
  exchange.onRefusal(answer.code);
  exchange.trace?.refuse(answer.code, status);
  logger[logLevel]('call_refused', {
    callId,
    traceId: exchange.trace?.traceId,
    ...(callerRequestId === null ? {} : { callerRequestId }),
    code: body.error.code,
    status,
    innerReason: answer.innerReason ?? undefined,
    ...(isOurBug ? { error } : {}),
  });
  if (!exchange.hasReceipt && exchange.request.method === 'POST') keepRefusal(exchange, answer, refusals);
  if (!response.headersSent) {
    const told = exchange.wire === 'messages' ? toMessagesError(answer, callId) : body;
    sendError(exchange, { ...answer, body: told });
  }
  // Without its last event a stream that broke off would look like one that the network cut.
  else response.end(exchange.answer?.toFailure(answer));
}

function keepRefusal(
  { id, caller, askedModel: model, wire }: ProxyExchange,
  { status, body }: OpenaiErrorAnswer,
  refusals: RefusalServices['refusals'],
): void {
  if (caller === null) return;
  const { code, param } = body.error;
  refusals.note({ id, ...caller, status, errorCode: code ?? body.error.type, model, param, wire });
}
