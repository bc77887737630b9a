import type { JsonObject, ToolCall } from '../../providers/chat-types.js';
import type { AnsweredCase } from '../provider-contract-case.js';
import { plainAnswer, type RecordedBlock, type RecordedEnd, streamedAnswer, toolBlock } from './anthropic-answers.js';

/* What the cases of Anthropic's contract have in common. */

export const ends = { stopReason: 'end_turn', inputTokens: 11, outputTokens: 7 } as const;
export const calls = { ...ends, stopReason: 'tool_use' } as const;
export const shortCounts = {
  inputTokens: 11,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 7,
  reasoningTokens: null,
};

export const question = [{ role: 'user', content: 'What is the weather in Paris?' }] as const;
export const asked = [{ role: 'user', content: [{ type: 'text', text: 'What is the weather in Paris?' }] }];
export const parameters = {
  type: 'object',
  properties: { city: { oneOf: [{ type: 'string' }, { type: 'null' }] } },
  required: ['city'],
  additionalProperties: false,
} as const;
export const tools = [
  { type: 'function', function: { name: 'get_weather', description: 'Tells the weather', parameters } },
] as const;
export const sentTools = [{ name: 'get_weather', description: 'Tells the weather', input_schema: parameters }];
export const callOf = (id: string, name: string, text: string): ToolCall & JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});
export const paris = callOf('toolu_a', 'get_weather', '{"city":"Paris"}');
export const rome = callOf('toolu_b', 'get_weather', '{"city":"Rome"}');
export const parisBlock = toolBlock('toolu_a', 'get_weather', { city: 'Paris' }, '{"city":', '"Paris"}');
export const romeBlock = toolBlock('toolu_b', 'get_weather', { city: 'Rome' }, '{"city":"Rome"}');

export function body(fields: object): JsonObject {
  return { model: 'claude-opus-5', max_tokens: 128_000, messages: asked, service_tier: 'standard_only', ...fields };
}

export interface Recording {
  readonly blocks: readonly RecordedBlock[];
  readonly end?: RecordedEnd;
}

export function answered(
  request: AnsweredCase['request'],
  upstreamBody: JsonObject,
  { blocks, end = ends }: Recording,
  expected: Partial<AnsweredCase['expected']> & Pick<AnsweredCase['expected'], 'message'>,
): AnsweredCase {
  return {
    request,
    upstreamBody,
    answer: { ...plainAnswer(blocks, end) },
    stream: streamedAnswer(blocks, end),
    expected: { finishReason: 'stop', usage: shortCounts, ...expected },
  };
}
