import type { ChatRequest } from '../../providers/chat-types.js';
import type { ParsedRequest } from '../../proxy/requests/parse-request.js';
import { listPromptTexts } from '../../proxy/requests/prompt-texts.js';
import type { AnswerWire } from '../../wires/answer-wire.js';
import { ChatAnswer } from '../../wires/chat/chat-answer.js';
import { CompletionsAnswer } from '../../wires/completions/completions-answer.js';
import { MessagesAnswer } from '../../wires/messages/messages-answer.js';
import { ResponsesAnswer } from '../../wires/responses/responses-answer.js';
import type { ProxyExchange } from './proxy-exchange.js';

/** Makes who tells the answer to what was asked, on the wire that it was asked on. */
export function createAnswer(
  { id: callId, startedAtMs, begunMs, wire }: Pick<ProxyExchange, 'id' | 'startedAtMs' | 'begunMs' | 'wire'>,
  parsed: ParsedRequest,
): AnswerWire {
  const { request, responses: settings, dialect, wantsUsageChunk } = parsed;
  const { model } = request;
  if (settings !== null) {
    const createdSeconds = Math.floor(startedAtMs / 1_000);
    // By the clock that nobody sets, so that no answer ends before it began.
    const nowSeconds = () => Math.floor((startedAtMs + performance.now() - begunMs) / 1_000);
    const { customTools } = dialect;
    return new ResponsesAnswer({ callId, model, createdSeconds, nowSeconds, settings, customTools });
  }
  if (wire === 'messages') {
    return new MessagesAnswer({ callId, model, promptTokensEstimate: guessPromptTokens(request) });
  }
  return wire === 'completions' ? new CompletionsAnswer(wantsUsageChunk) : new ChatAnswer(parsed);
}

// Nobody knows better when a stream begins; the end of it tells what was counted.
function guessPromptTokens(request: ChatRequest): number {
  const characters = listPromptTexts(request).reduce((sum, text) => sum + text.length, 0);
  return Math.ceil(characters / 4);
}
