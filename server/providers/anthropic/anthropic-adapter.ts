import type { ProviderAdapter } from '../provider-adapter.js';
import { parseAnthropicError } from './anthropic-error.js';
import { buildAnthropicRequest } from './anthropic-request.js';
import { parseAnthropicResponse } from './anthropic-response.js';
import { AnthropicStreamParser } from './anthropic-stream.js';
import { findThinkingWish } from './anthropic-thinking.js';
import { findClaudeCapabilities } from './claude-models.js';

/** Anthropic's Messages API: https://platform.claude.com/docs/en/api/messages. */
export const anthropicAdapter: ProviderAdapter = {
  buildRequest: buildAnthropicRequest,
  parseResponse: parseAnthropicResponse,
  parseStream: (context) => new AnthropicStreamParser(context),
  parseError: parseAnthropicError,
  mayReason(request, { upstreamModel }) {
    const { thinking, thinkingOff } = findClaudeCapabilities(upstreamModel);
    return thinking !== 'none' && (thinkingOff !== 'unsaid' || findThinkingWish(request).isWanted);
  },
  sentReasoning: () => ['reasoning_details'],
  thinksBetweenTools: ({ upstreamModel }) => findClaudeCapabilities(upstreamModel).thinkingOff === 'between_tools',
};
