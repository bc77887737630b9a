import type { Logger } from '../kernel/logger.js';
import { toMessagesError } from '../wires/messages/messages-error.js';
import { toOpenaiError } from './openai-error.js';
import { type ProxyExchange, sendError } from './proxy-exchange.js';

/**
 * Ends an exchange that failed: with a status, or, where a stream has begun, with an event that says so. Logs the refusal,
 * without a word of what was asked.
 */
export function answerError(exchange: ProxyExchange, error: unknown, logger: Logger): void {
  const { id: callId, callerRequestId, response } = exchange;
  const answer = toOpenaiError(error);
  const { status, body, logLevel } = answer;
  exchange.onRefusal(answer.code);
  logger[logLevel]('call_refused', {
    callId,
    ...(callerRequestId === null ? {} : { callerRequestId }),
    code: body.error.code,
    status,
    ...(logLevel === 'error' ? { error } : {}),
  });
  if (!response.headersSent) {
    const told = exchange.wire === 'messages' ? toMessagesError(answer, callId) : body;
    sendError(exchange, { ...answer, body: told });
  }
  // Without its last event a stream that broke off would look like one that the network cut.
  else response.end(exchange.answer?.toFailure(answer));
}
