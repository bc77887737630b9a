import type { JsonObject } from '../chat-types.js';
import type { ThinkingBlock } from './anthropic-types.js';

/*
 * Thinking is signed, and must come back unchanged while a turn calls tools. It travels in `reasoning_details`, the field that
 * OpenRouter's clients already send back: https://openrouter.ai/docs/use-cases/reasoning-tokens
 */

const format = 'anthropic-claude-v1';

/** One block of thinking as it is given to the caller. */
export function toReasoningDetail(block: ThinkingBlock, index: number, publicModel: string): JsonObject {
  // Newer models refuse thinking that another model made, so each piece says whose it is.
  const origin = { format, model: publicModel, index };
  return block.type === 'thinking'
    ? { type: 'reasoning.text', text: block.thinking, signature: block.signature, ...origin }
    : { type: 'reasoning.encrypted', data: block.data, ...origin };
}

/** The blocks of thinking that a caller sent back, in their order; what was not signed, or is not this model's, is left out. */
export function readThinkingBlocks(
  details: readonly JsonObject[] | undefined,
  publicModel: string,
): readonly ThinkingBlock[] {
  return (details ?? []).flatMap((detail): ThinkingBlock[] => {
    if (detail.format !== format || detail.model !== publicModel) return [];
    const { type, text, signature, data } = detail;
    if (type === 'reasoning.text' && typeof signature === 'string' && signature !== '') {
      return [{ type: 'thinking', thinking: typeof text === 'string' ? text : '', signature }];
    }
    return type === 'reasoning.encrypted' && typeof data === 'string' ? [{ type: 'redacted_thinking', data }] : [];
  });
}
