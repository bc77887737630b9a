import type { ChatCompletion, ChatCompletionChunk } from '../chat-types.js';
import type { TokenUsage, UpstreamEvent } from '../provider-adapter.js';
import { OtherOutputFinder } from './other-output.js';

/**
 * What one piece of a stream comes to, in the order of `UpstreamEvent`. Usage counts the chunk beside it, and where it came alone it
 * counts nothing that follows.
 *
 * @param usage null: the piece has none that makes sense.
 * @param chunk null: the piece has nothing for the caller.
 */
export function toPieceEvents(usage: TokenUsage | null, chunk: ChatCompletionChunk | null): readonly UpstreamEvent[] {
  if (chunk === null) return usage === null ? [] : [{ type: 'usage', usage }];
  if (usage === null) return [{ type: 'chunk', chunk }];
  return [
    { type: 'usage', usage, isOfNextChunk: true },
    { type: 'chunk', chunk },
  ];
}

/**
 * What a whole answer comes to, in the order of `UpstreamEvent`. Notes on it what it brings in fields that nobody lists.
 *
 * @param usage null: it has none that makes sense.
 * @param hasUnasked Whether choices that nobody asked for were left out of it.
 */
export function toAnswerEvents(
  completion: ChatCompletion,
  usage: TokenUsage | null,
  hasUnasked = false,
): readonly UpstreamEvent[] {
  new OtherOutputFinder().note(completion);
  const events: UpstreamEvent[] = [{ type: 'completion', completion }];
  if (usage !== null) events.unshift({ type: 'usage', usage });
  if (hasUnasked) events.unshift({ type: 'unasked' });
  return events;
}
