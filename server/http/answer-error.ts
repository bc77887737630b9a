import type { Logger } from '../kernel/logger.js';
import { toOpenaiError } from './openai-error.js';
import { type ProxyExchange, sendOpenaiError } from './proxy-exchange.js';
import { SseWriter } from './sse-writer.js';

/**
 * Ends an exchange that failed: with a status, or, where a stream has begun, with an event that says so. Logs the refusal,
 * without a word of what was asked.
 */
export function answerError(exchange: ProxyExchange, error: unknown, logger: Logger): void {
  const { id: callId, response } = exchange;
  const answer = toOpenaiError(error);
  const { status, body, logLevel } = answer;
  logger[logLevel]('call_refused', {
    callId,
    code: body.error.code,
    status,
    ...(logLevel === 'error' ? { error } : {}),
  });
  if (response.headersSent) new SseWriter(response, AbortSignal.abort()).endWithError(body);
  else sendOpenaiError(exchange, answer);
}
