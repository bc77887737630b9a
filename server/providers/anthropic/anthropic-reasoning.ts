import type { JsonObject } from '../chat-types.js';
import type { ThinkingBlock } from './anthropic-types.js';
import type { PlacedThinking } from './turn-order.js';

/*
 * Thinking is signed, and must come back unchanged while a turn calls tools. It travels in `reasoning_details`, the field that
 * OpenRouter's clients already send back: https://openrouter.ai/docs/use-cases/reasoning-tokens
 */

const format = 'anthropic-claude-v1';

/**
 * One block of thinking as it is given to the caller.
 * @param after `TurnProgress.mark` of what stood before it.
 */
export function toReasoningDetail(
  block: ThinkingBlock,
  { index, after, publicModel }: { index: number; after: string | null; publicModel: string },
): JsonObject {
  // Newer models refuse thinking that another model made, so each piece says whose it is.
  const origin = { format, model: publicModel, index, ...(after === null ? {} : { after }) };
  return block.type === 'thinking'
    ? { type: 'reasoning.text', text: block.thinking, signature: block.signature, ...origin }
    : { type: 'reasoning.encrypted', data: block.data, ...origin };
}

/** The thinking that a caller sent back, in its order; what was not signed, or is not this model's, is left out. */
export function readPlacedThinking(
  details: readonly JsonObject[] | undefined,
  publicModel: string,
): readonly PlacedThinking[] {
  return (details ?? []).flatMap((detail): PlacedThinking[] => {
    const block = detail.format === format && detail.model === publicModel ? readBlock(detail) : null;
    if (block === null) return [];
    const { index, after } = detail;
    const place = {
      index: typeof index === 'number' ? index : undefined,
      after: typeof after === 'string' ? after : null,
    };
    return [{ block, ...place }];
  });
}

function readBlock({ type, text, signature, data }: JsonObject): ThinkingBlock | null {
  if (type === 'reasoning.text' && typeof signature === 'string' && signature !== '') {
    return { type: 'thinking', thinking: typeof text === 'string' ? text : '', signature };
  }
  return type === 'reasoning.encrypted' && typeof data === 'string' ? { type: 'redacted_thinking', data } : null;
}
