import type { ChatCompletion, ChatCompletionChunk } from './chat-types.js';

/** Gives a complete answer as the single chunk of a stream, for a provider that was asked to stream and did not. */
export function completionToChunk(completion: ChatCompletion): ChatCompletionChunk {
  const { choices, ...head } = completion;
  return {
    ...head,
    object: 'chat.completion.chunk',
    choices: choices.map(({ message, ...choice }) => {
      const { tool_calls: toolCalls, ...delta } = message;
      if (!toolCalls) return { ...choice, delta };
      return { ...choice, delta: { ...delta, tool_calls: toolCalls.map((call, index) => ({ index, ...call })) } };
    }),
  };
}
