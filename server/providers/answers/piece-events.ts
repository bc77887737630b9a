import type { ChatCompletionChunk } from '../chat-types.js';
import type { TokenUsage, UpstreamEvent } from '../provider-adapter.js';

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
