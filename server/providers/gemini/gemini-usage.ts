import { isJsonObject } from '../../kernel/json-body.js';

import type { TokenUsage } from '../provider-adapter.js';
import { readTokenUsage } from '../token-usage.js';

/**
 * Reads `usageMetadata`. Google counts thoughts beside the answer and what tools of its own read beside the prompt; here
 * they are a part of output and input. Each has a count of its own, so the total adds nothing and is not read. A count of nothing is left out of
 * Google's JSON.
 * @returns null when the prompt's count is missing, as in some early events of a stream, or a count makes no sense.
 */
export function readGeminiUsage(raw: unknown): TokenUsage | null {
  if (!isJsonObject(raw)) return null;
  const { thoughtsTokenCount: thoughts } = raw;
  return readTokenUsage({
    prompt_tokens: add(raw.promptTokenCount, raw.toolUsePromptTokenCount ?? 0),
    completion_tokens: add(raw.candidatesTokenCount ?? 0, thoughts ?? 0),
    prompt_tokens_details: { cached_tokens: raw.cachedContentTokenCount },
    completion_tokens_details: { reasoning_tokens: thoughts },
  });
}

// What is no number stays none, and is refused by the reader.
function add(first: unknown, second: unknown): number {
  return typeof first === 'number' && typeof second === 'number' ? first + second : Number.NaN;
}
