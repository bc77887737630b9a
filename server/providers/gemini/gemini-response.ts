import { toAnswerEvents } from '../answers/piece-events.js';
import type { AssistantMessage, ChatCompletion, ChatDelta } from '../chat-types.js';
import type { ParsedJson } from '../json-object.js';
import type { AnswerContext, UpstreamEvent } from '../provider-adapter.js';
import { createUnreadableError } from '../upstream-error.js';
import { GeminiAnswerReader } from './gemini-answer.js';

/**
 * Translates a complete answer: usage first, if it makes sense, then the completion.
 * @throws AppError when the text is not an answer, or is an error in disguise.
 */
export function parseGeminiResponse(body: string | ParsedJson, context: AnswerContext): readonly UpstreamEvent[] {
  const reader = new GeminiAnswerReader(context);
  const { usage, delta, hasUnasked } = reader.read(body);
  const end = reader.finish();
  if (end === null) throw createUnreadableError(context.providerId, 'no finishReason');
  const message = toMessage({ ...delta, ...end.delta });
  const choice = { index: 0, message, logprobs: null, finish_reason: end.finishReason };
  const completion: ChatCompletion = {
    id: context.answerId,
    object: 'chat.completion',
    created: context.createdSeconds,
    model: context.publicModel,
    choices: [choice],
  };
  return toAnswerEvents(completion, usage, hasUnasked);
}

function toMessage({ content, refusal, tool_calls: calls, ...others }: ChatDelta): AssistantMessage {
  const message: AssistantMessage = {
    ...others,
    role: 'assistant',
    content: content ?? null,
    refusal: refusal ?? null,
  };
  if (calls === undefined) return message;
  return {
    ...message,
    tool_calls: calls.map(({ id = '', function: target, extra_content }) => ({
      id,
      type: 'function',
      function: { name: target?.name ?? '', arguments: target?.arguments ?? '{}' },
      ...(extra_content === undefined ? {} : { extra_content }),
    })),
  };
}
